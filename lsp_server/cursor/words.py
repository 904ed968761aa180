"""The words that this package knows by heart: data only, one set per question.

A set lists what shape alone cannot tell.
"""

_KEYWORDS_BY_FAMILY = {
    "C, C++, Objective-C": """
        alignas alignof asm auto bitand bitor bool break case catch char char16_t char32_t char8_t class
        co_await co_return co_yield compl const const_cast consteval constexpr constinit continue decltype
        default delete do double dynamic_cast else enum explicit extern false float for friend goto if inline
        int long mutable namespace new noexcept not_eq nullptr or_eq private protected public register
        reinterpret_cast requires restrict return short signed sizeof static static_assert static_cast struct
        switch template this thread_local throw true try typedef typeid typename typeof union unsigned using
        virtual void volatile wchar_t while xor xor_eq and_eq attribute cdecl declspec stdcall synthesize
        autoreleasepool define elif endif ifdef ifndef pragma undef
    """,
    "Java, C#, Kotlin, Scala": """
        abstract boolean companion crossinline delegate extends final finally foreach implements implicit
        import infix instanceof interface lateinit nameof native noinline null orderby override permits
        readonly ref reified sealed stackalloc strictfp super suspend synchronized tailrec throws transient
        transitive typealias unchecked unmanaged unsafe val var vararg when yield
    """,
    "JavaScript, TypeScript, Dart": """
        as async await constructor covariant debugger declare deferred export function in infer is keyof late
        let mixin never of require rethrow satisfies undefined with
    """,
    "Go, Rust, Swift, Zig": """
        associatedtype chan comptime crate defer deinit dyn errdefer fallthrough fileprivate fn func go guard
        impl inout iota macro_rules mod mut mutating nil nonisolated nonmutating pub rethrows self typealias
        unowned unreachable usingnamespace
    """,
    "Python, Ruby, Lua, Julia": """
        and assert attr_accessor attr_reader attr_writer baremodule begin def del elseif elsif end ensure
        except from global lambda local none nonlocal not or pass raise redo require_relative rescue retry
        then unless until
    """,
    "PHP, Perl, shells": """
        declare die done echo enddeclare endfor endforeach endif endswitch endwhile esac eval fi halt_compiler
        include include_once insteadof isset our require_once trait typeset unset use
    """,
    "Lisp, Clojure, Elixir, Erlang": """
        andalso cond defclass defconst defconstant defcustom defdelegate defexception defgeneric defguard
        defguardp defimpl define-record-type define-syntax defmacro defmacrop defmethod defmodule defmulti
        defn defonce defoverridable defp defpackage defparameter defprotocol defrecord defstruct deftype defun
        defvar dolist dotimes flet funcall if-let if-not letrec macrolet orelse progn quasiquote recur setf
        setq unquote unwind-protect when-let when-not
    """,
    "Haskell, OCaml, F#, Pascal": """
        deriving downto forall functor implementation infixl infixr inherited newtype nonrec priv procedure
        rec threadvar upcast uses where
    """,
    "hardware and templates": """
        always_comb always_ff always_latch endblock endcase endfunction endgenerate endmacro endmodule negedge
        posedge
    """,
    "types that every program names": """
        bigint float32 float64 i128 i16 i32 i64 i8 int16 int16_t int32 int32_t int64 int64_t int8 int8_t
        intptr_t isize f32 f64 nvarchar ptrdiff_t sbyte size_t smallint ssize_t u128 u16 u32 u64 u8 uint
        uint16 uint16_t uint32 uint32_t uint64 uint64_t uint8 uint8_t uintptr uintptr_t ulong ushort usize
        varchar varchar2
    """,
}

KEYWORDS = frozenset(" ".join(_KEYWORDS_BY_FAMILY.values()).split())
"""Words that nobody looks up, in lower case; their upper case counts as well."""

_NOUNS_BY_FAMILY = {
    "C, C++": "concept module operator",
    "Java, C#, Kotlin, Scala": """
        actual base byte checked data decimal exports external fixed fun given init inner lazy object open
        opens out package params provides switch
    """,
    "JavaScript, TypeScript, Dart": "accessor any dynamic factory get number string symbol type unique unknown",
    "Go, Rust, Swift, Zig": "actor extension indirect loop map match move postfix prefix protocol range rune weak",
    "Python, Ruby, shells, PHP": "alias callable clone defined empty exec exit macro next repeat sub",
    "Lisp, Elixir, ML, Pascal": "family foreign inherit member method quote receive",
    "SQL": """
        add all alter analyze asc auto_increment autoincrement between by cascade check collate commit
        constraint create cross current current_date current_time current_timestamp current_user cursor
        deferrable delete desc describe distinct drop each escape except execute exists explain fetch foreign
        full grant group having if ilike inner insert integer intersect into join key lateral left like limit
        merge minus natural null nulls numeric offset on order outer over primary procedure recursive
        references reindex replace returning revoke right row rownum rows savepoint select set table
        tablespace temporary timestamptz truncate union update upsert vacuum values within
    """,
}

KEYWORDS_THAT_NAME_MEMBERS = frozenset(" ".join(_NOUNS_BY_FAMILY.values()).split()) - KEYWORDS
"""Keywords in one language, names in another, in either case: in the place of a name they are one."""

SHOUTED_KEYWORDS = frozenset(
    """
    column database index lock partition rename rollback schema sequence timestamp transaction trigger view window
    """.split()
)
"""Names that only SQL in upper case makes keywords of."""

KEYWORDS_BEHIND_DOTS = frozenset("async await class new self super this".split())
"""Keywords that stay what they are as a member: `future.await`, `Outer.this`."""

MIXED_CASE_KEYWORDS = frozenset(
    """
    _Alignas _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local
    False Nil None Self True
    AddHandler AddressOf AndAlso As Begin ByRef ByVal Case Class Const Dim Do Each Else ElseIf End EndIf Exit
    Finally For Friend Function Get GoTo If Imports Inherits Is IsNot Let Loop Me Module MustInherit MustOverride
    MyBase Namespace New Next Not Nothing NotInheritable OrElse Overloads Overridable Overrides ParamArray
    Private Procedure Protected Public RaiseEvent ReDim ReadOnly RemoveHandler Select Shadows Static Sub SyncLock
    Then Throw TryCast Until Uses Var Wend While WithEvents WriteOnly
    didSet forSome willSet
    """.split()
)
"""Keywords that mix the cases: C's `_Bool`, Python's `None`, Visual Basic's, Pascal's and Swift's."""

FUNCTION_WORDS = frozenset(
    """
    a about after all also an and any are as at be been before but by can cannot could couldn did didn do does
    doesn don etc for from had has hasn have haven he her his how if in into is isn it its just may more most
    must no nor not of off on only or other our out over shall she should so some such than that the their
    them then there these they this those to too under up was wasn we were what when where which while who why
    will with would wouldn yes you your cf ph vs
    """.split()
)
"""English words that carry no meaning of their own, in any case."""

FILE_EXTENSIONS = frozenset(
    """
    adoc apk asciidoc asm asp aspx astro avi awk bash bat bazel bib bmp bz2 bzl c cabal cc cer cfg cjs clj
    cljs cmake cmd cnf coffee conf cpp crt cs csh cshtml csproj css csv cts cu cuh cxx dart dat deb diff dll
    dockerfile docx dylib editorconfig eex ejs el elm eot epub erb erl ex exe exs fbx fish flac fs fsproj fsx
    gif glsl go gql gradle graphql groovy gz h haml handlebars hbs hcl heex hh hpp hrl hs htm html hxx ico idl
    iml ini inl ipynb iso jar java jinja jinja2 jks jl jpeg jpg js json json5 jsonc jsonl jsonnet jsx ksh kt
    kts latex less lhs liquid lua markdown md mdx mjs mk mkd ml mli mm mov mp3 mp4 mpg msi mts mustache ndjson
    nim nix nupkg ods odt ogg org otf parquet patch pcap pdb pdf pem php phtml pl plist pm png po pot pptx
    proto ps1 psd1 psm1 pug puml py pyc pyd pyi pyw pyx qml rar rb rego resx rkt rmd rpm rs rst rtf sass sbt
    scala scm scss sh sln sol sql sqlite sqlite3 srt styl svelte svg swift swp tar targets tcl tex tf tfstate
    tfvars tga tgz thrift tif tiff toml ts tsv tsx ttf txt vb vbs vcxproj vhd vhdl vim vsix vue war wasm wat
    wav webm webmanifest webp whl wmv woff woff2 xaml xcodeproj xhtml xls xlsx xml xsd xsl xslt xz yaml yml
    zig zip zsh zst
    """.split()
)
"""Endings that make `name.ending` a file wherever it stands, in lower case."""

SHY_EXTENSIONS = frozenset(
    """
    a bak bin config crash cert csr d data db dev doc dump env f90 http in key lib list lock log m map mod o obj
    old orig out pid pro properties pub r s service snap so sock socket sum sv sym target text timer tmp v
    """.split()
)
"""Endings that are attributes at least as often (`console.log`, `user.key`): a file only where no code is near."""

DOCUMENT_EXTENSIONS = frozenset(
    "adoc docx ipynb markdown md pdf pptx rst tex toml tsv txt xlsx yaml yml".split()
)
"""Endings that are no attribute of anything."""

COMMANDS = frozenset(
    """
    ansible awk bash bat bun bundle cargo cat cc cd chmod chown clang cmake code cp curl cut deno diff docker
    dotnet echo emacs env eslint exec find flask g++ gcc gh git go gradle grep gunicorn head helm java javac jq
    kubectl less ln ls make mkdir more mv mvn mypy nano node nohup npm npx nvim patch perl php pip pnpm psql pwsh
    pytest python python3 rm rsync ruby ruff rustc scp sed sh source sqlite3 ssh streamlit sudo swift tail tar
    tee terraform time touch ts-node tsc tsx unzip uv uvicorn vi vim wc wget xargs yarn zip zsh
    """.split()
)
"""Words that start a quoted command, which names a file at its end: `python main.py`."""

WELL_KNOWN_FILES = frozenset(
    """
    APKBUILD AUTHORS Appfile Berksfile Brewfile CHANGELOG CODEOWNERS CONTRIBUTING COPYING Caddyfile Capfile
    Containerfile Dangerfile Dockerfile Doxyfile Earthfile Fastfile GNUmakefile Gemfile Guardfile Jenkinsfile
    Justfile Kbuild Kconfig LICENCE LICENSE MAINTAINERS Makefile OWNERS PKGBUILD Pipfile Podfile Procfile
    Puppetfile README Rakefile SConscript SConstruct Snakefile Taskfile Thorfile Tiltfile Vagrantfile gradlew
    justfile makefile mvnw wscript
    """.split()
)
"""File names without an ending, as their tools spell them."""

DOTFILES = (
    r"git(?:attributes|config|ignore|keep|modules)",
    r"env(?:\.[\w.-]+)?",
    r"[\w-]{2,}(?:rc|ignore)",
    r"(?:bash|zsh)_?\w+",
    r"z?(?:profile|login)",
    r"(?:htaccess|htpasswd|flake8|editorconfig|mailmap|clang-format|clang-tidy|clangd|tool-versions|DS_Store)",
    r"(?:python|ruby|node|java|go)-version",
)
"""Names that follow a leading dot, as patterns; any other `.name` may be a CSS class or a method."""

CODE_WORDS = "assert await elif if import new package return typeof use using while yield".split()
"""Keywords before an expression: `if user.key` reads an attribute."""

RECEIVERS = frozenset(
    """
    Array Console Date Error JSON Math Number Object Promise Reflect String System args axios cls
    console ctx df document e ev event err exports fs global globalThis import it jQuery logger logging math
    module navigator np numpy obj os params path pd plt process props re req request res self sp str sys tf this
    torch window
    """.split()
)
"""Names that stand before the dot of an attribute, hardly ever as the stem of a file."""

PROSE_WORDS = FUNCTION_WORDS | frozenset(
    """
    bad broken cannot copy could create created delete edit error expected failed file found invalid load loaded
    loading missing move new open opened opening parse read reading remove run running see unable unknown use
    using wrote write writing
    """.split()
)
"""Words that tell a quoted sentence that ends in a file name from a file name with spaces in it."""

POSTPOSITIONS = tuple(
    sorted(
        """
        은 는 이 가 을 를 에 의 로 와 과 도 만 에서 에게 으로 까지 부터 처럼 보다 이나 이라 라고 이라고 라는 이라는
        에는 에도 에서는 로는 으로는 이다 입니다 인 이란 란 마다 조차 밖에 하고 이며 며
        에게서 에서부터 에서만 한테 께서 이랑 랑 로서 로써 으로서 으로써 로부터 으로부터 대로 만큼 만이 만을 뿐
        라면 이라면 라서 이라서 이고 이면 이든 든지 인데 인지 이므로 였다 이었다 같은 들 들이 들을 들은 들의
        하다 한다 한 할 해 해서 하면 하는 하여 했다 했고 하기 하지 합니다 되는 된다 되면 되어 됐다 된 될
        """.split(),
        key=len,
        reverse=True,
    )
)
"""Korean particles that are written onto the word before them: `keeper_memory_search를`."""
