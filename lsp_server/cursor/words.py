"""The words that `cursor.py` knows by heart: data only, one set per question.

A set lists what shape alone cannot tell. Words that are a keyword in one language and a good name in
another (`match`, `type`, `record`, `update`, `module`) are left out of the quiet words on purpose.
"""

KEYWORDS = frozenset(
    """
    abstract and as async auto await begin bool boolean break by case catch char class const continue crate
    def default defer del delete do done double dyn each echo elif else elseif elsif end endfor
    endif endwhile ensure enum esac except export extends extern false fi final finally float fn for foreach
    from func function global go goto if ifdef ifndef impl implements import in include inline instanceof int
    interface is lambda let local long mut namespace new nil none nonlocal not null nullptr of or override
    pass priv private protected pub public raise readonly ref require rescue return self short signed sizeof
    static struct super switch synchronized template then this throw throws trait transient true try typedef
    typename typeof undefined union unless unsigned until use using val var virtual void volatile when where
    while with yield
    """.split()
)
"""Words of the common languages that nobody looks up, in lower case; their upper case counts as well."""

SQL_KEYWORDS = frozenset(
    """
    ALL ALTER BETWEEN BY CREATE CROSS DESC DISTINCT DROP EXISTS FULL GROUP HAVING INNER INSERT INTO JOIN KEY
    LEFT LIKE LIMIT OFFSET ON ORDER OUTER PRIMARY RIGHT SELECT SET TABLE UNION UPDATE VALUES VIEW
    """.split()
)
"""SQL words, quiet in upper case only: in lower case they are names (`update`, `table`, `key`)."""

FUNCTION_WORDS = frozenset(
    """
    a about after all also an and any are as at be been before but by can cannot could couldn did didn do does
    doesn don etc for from had has hasn have haven he her his how if in into is isn it its just may more most
    must no nor not of off on only or other our out over shall she should so some such than that the their
    them then there these they this those to too under up was wasn we were what when where which while who why
    will with would wouldn yes you your
    """.split()
)
"""English words that carry no meaning of their own, in any case."""

ERROR_NAMES = frozenset(
    """
    E2BIG EACCES EADDRINUSE EADDRNOTAVAIL EADV EAFNOSUPPORT EAGAIN EALREADY EBADE EBADF EBADFD EBADMSG EBADR
    EBADRQC EBADSLT EBUSY ECANCELED ECHILD ECHRNG ECOMM ECONNABORTED ECONNREFUSED ECONNRESET EDEADLK
    EDEADLOCK EDESTADDRREQ EDOM EDQUOT EEXIST EFAULT EFBIG EHOSTDOWN EHOSTUNREACH EHWPOISON EIDRM EILSEQ
    EINPROGRESS EINTR EINVAL EIO EISCONN EISDIR EKEYEXPIRED EKEYREJECTED EKEYREVOKED ELIBACC ELIBBAD
    ELIBEXEC ELIBMAX ELIBSCN ELOOP EMEDIUMTYPE EMFILE EMLINK EMSGSIZE EMULTIHOP ENAMETOOLONG ENETDOWN
    ENETRESET ENETUNREACH ENFILE ENOATTR ENOBUFS ENODATA ENODEV ENOENT ENOEXEC ENOKEY ENOLCK ENOLINK
    ENOMEDIUM ENOMEM ENOMSG ENONET ENOPKG ENOPROTOOPT ENOSPC ENOSR ENOSTR ENOSYS ENOTBLK ENOTCONN ENOTDIR
    ENOTEMPTY ENOTRECOVERABLE ENOTSOCK ENOTSUP ENOTTY ENOTUNIQ ENXIO EOPNOTSUPP EOVERFLOW EOWNERDEAD EPERM
    EPFNOSUPPORT EPIPE EPROTO EPROTONOSUPPORT EPROTOTYPE ERANGE EREMCHG EREMOTE EREMOTEIO ERESTART ERFKILL
    EROFS ESHUTDOWN ESOCKTNOSUPPORT ESPIPE ESRCH ESTALE ESTRPIPE ETIME ETIMEDOUT ETOOMANYREFS ETXTBSY EUCLEAN
    EUNATCH EUSERS EWOULDBLOCK EXDEV EXFULL

    EBADENGINE EBADPLATFORM EINTEGRITY EJSONPARSE ELIFECYCLE ENEEDAUTH ENOLOCK ENOTFOUND ENOVERSIONS ENOWORKSPACES
    EOTP ERESOLVE ESOCKETTIMEDOUT ETARGET EUNSUPPORTEDPROTOCOL EUSAGE EWORKSPACESNOTSUPPORTED

    SIGABRT SIGALRM SIGBREAK SIGBUS SIGCHLD SIGCLD SIGCONT SIGEMT SIGFPE SIGHUP SIGILL SIGINFO SIGINT SIGIO
    SIGIOT SIGKILL SIGLOST SIGPIPE SIGPOLL SIGPROF SIGPWR SIGQUIT SIGSEGV SIGSTKFLT SIGSTOP SIGSYS SIGTERM
    SIGTRAP SIGTSTP SIGTTIN SIGTTOU SIGURG SIGUSR1 SIGUSR2 SIGVTALRM SIGWINCH SIGXCPU SIGXFSZ

    CERT_HAS_EXPIRED DEPTH_ZERO_SELF_SIGNED_CERT SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_GET_ISSUER_CERT_LOCALLY
    UNABLE_TO_VERIFY_LEAF_SIGNATURE NXDOMAIN SERVFAIL MODULE_NOT_FOUND
    ALREADY_EXISTS DEADLINE_EXCEEDED FAILED_PRECONDITION INVALID_ARGUMENT PERMISSION_DENIED RESOURCE_EXHAUSTED
    UNAUTHENTICATED
    """.split()
)
"""Error names without a prefix that gives them away: errno, npm, signals, TLS, DNS, gRPC."""

NUMBERED_STANDARDS = frozenset(
    """
    A AES AMD APACHE ARM ASCII AVX BASE BIG BSD CC CES COVID CP CRC CUDA DDR DES EC ECDSA ECMA EN ES EUC FIPS
    FLOAT FY GB GPL GPT GTX H HMAC HS HTTP IBM ICLR IEC IEEE INT IPV ISO JDK JIS JSR KOI LATIN LGPL
    MIT MPL MSVC NIST P PBKDF PEP PM PS RFC RSA RTX SHA SIMD SM SSE TLS UCS UINT UTF USB V VS WIN WPA X
    """.split()
)
"""Upper-case stems that a number follows without making an error code or an issue: SHA256, RFC 2119, UTF-8."""

NO_CODES = frozenset("A100 H100 H200 H264 H265 P100 P256 P384 P521 S390 V100 X509 X690".split())
"""Single letters with a number that are no code although the letter starts codes elsewhere (`P2002`)."""

DATABASE_PREFIXES = frozenset(
    """
    ACFS ASM BEA CLSR CRS DIA DPI DPY DRG EXP IMP INS KUP LRM NNL NZE OCI OPW ORA PCC PLS PRCR PRVF QSM RMAN SP2
    SQL TNS UDE UDI
    """.split()
)
"""Oracle and its relatives write codes as `ORA-00942`; every other `ABC-123` is taken for an issue."""

ERROR_CONSTANTS = (
    r"(?:ERR|ERROR|E|ER|EAI|WSAE|CURLE|NS_ERROR|SSL_ERROR|SEC_ERROR|PR|MOZILLA_PKIX_ERROR|DNS_PROBE|CUDA_ERROR"
    r"|VK_ERROR|X509_V_ERR|EXCEPTION|NTE|[A-Z]{2,8}_E|[A-Z]{2,6}_ERROR)_[A-Z0-9]\w*",
    r"WSAE[A-Z]+",
    r"SQLITE_(?:BUSY|CANTOPEN|CONSTRAINT|CORRUPT|ERROR|FULL|IOERR|LOCKED|MISMATCH|MISUSE|NOTADB|READONLY)\w*",
    r"STATUS_(?:ACCESS|STACK|HEAP|DLL|INVALID|ENTRYPOINT|ILLEGAL|INTEGER|CONTROL_C|NO_MEMORY|IN_PAGE)\w*",
)
"""Constants that their beginning tells to be errors, as patterns for the whole word."""

RULE_NAME = r"-?@?[A-Za-z][\w-]*(?:(?:::|[/.])[\w-]+)*"
"""A linter's rule: `no-console`, `@typescript-eslint/no-explicit-any`, `clippy::unwrap_used`, `Style/For`."""

RULE_LISTS = (
    r"\b(?:es|ox|style)lint-(?:disable|enable)(?:-next-line|-line)?[ ]+",
    r"\btslint:(?:disable|enable)(?:-next-line|-line)?:?[ ]*",
    r"\bpylint:[ ]*(?:disable|enable)(?:-next|-msg)?[ ]*=[ ]*",
    r"\bnoqa[ ]*:[ ]*",
    r"\b(?:type|pyright|ty|mypy|pyrefly|ruff):[ ]*ignore[ ]*\[[ ]*",
    r"\bnolint:[ ]*",
    r"\bNOLINT(?:NEXTLINE|BEGIN|END)?\([ ]*",
    r"\blint:(?:file-)?ignore[ ]+",
    r"\bshellcheck[ ]+(?:disable|enable)=",
    r"\bhadolint[ ]+ignore=",
    r"\brubocop:(?:disable|enable|todo)[ ]+",
    r"\bswiftlint:(?:disable|enable)(?::\w+)?[ ]+",
    r"\bktlint-disable[ ]+",
    r"\bbiome-ignore[ ]+",
    r"\bdeno-lint-ignore(?:-file)?[ ]+",
    r"\bmarkdownlint-(?:disable|enable)(?:-(?:next-)?line|-file)?[ ]+",
    r"\bphpcs:(?:ignore|disable)[ ]+",
    r"@phpstan-ignore[ ]+",
    r"\bnosec[ ]+",
    r"\bnosemgrep:[ ]*",
    r"@Suppress(?:Warnings)?\([ ]*\{?[ ]*[\"']",
    r"\bpragma[ ]+warning[ ]+(?:disable|restore)[ ]+",
    r"#!?\[[^\[\]#]*?\b(?:allow|deny|warn|forbid|expect)\([ ]*",
    # How an editor shows where a diagnostic comes from: eslint(no-unused-vars).
    r"\b(?:eslint|pylint|[Pp]ylance|pyright|mypy|ruff|rustc|clippy|shellcheck|stylelint|biome|[Ff]lake8)\(",
)
"""What comes before a list of rules that a comment or an attribute switches off or on, as patterns."""

CODES_IN_CONTEXT = (
    r"(?i:\bsql ?state)\s*[\[(:=]*\s*[\"']?(?P<code>(?=[0-9A-Z]*\d)[0-9A-Z]{5})(?![A-Za-z0-9_])",
    r"\b(?i:errcode)\s*=\s*[\"'](?P<code>[0-9A-Z]{5})[\"']",
    r"\b(?:ERROR|FATAL|PANIC):\s+(?P<code>(?=[0-9A-Z]*\d)[0-9A-Z]{5}):",
    r"\bERROR \d{4,5} \((?P<code>[0-9A-Z]{5})\)",
    r"\bERROR (?P<code>\d{4,5}) \([0-9A-Z]{5}\)",
    r"\b(?i:error code):? (?P<code>\d{4})(?!\d)",
    r"\[(?P<code>(?:Errno|WinError) -?\d+)\]",
    r"\bnpm (?:ERR!|error) code (?P<code>[A-Z][A-Z0-9_]{2,})",
    # A rule's name that closes a compiler's or linter's message.
    r"\b(?:error|warning|note|[CRWEF]\d{4}):[^\[(]*(?:[\[(][^\[\]()]*[\])][^\[(]*)*"
    r"[\[(](?P<code>@?[a-z]\w*[-/][\w/-]+)[\])]\s*$",
    # A rule that a configuration sets.
    r"(?<![\w@/-])(?P<code>@?[a-z]\w*[-/][\w/-]+)[\"']?\s*:\s*\[?\s*[\"'](?:error|warn|off)[\"']",
    r"(?<![\w-])(?P<code>-W[a-z]\w*(?:[-=][\w+]+)+|(?<=[\[,])-W[a-z]\w*)",
    r"(?<![\w:])(?P<code>(?:clippy|rustdoc)::\w+)",
    r"(?<![A-Za-z0-9_-])(?P<code>(?i:CVE-\d{4}-\d{4,7}|GHSA(?:-[0-9a-z]{4}){3}|CWE-\d{1,4})|RUSTSEC-\d{4}-\d{4}"
    r"|PYSEC-\d{4}-\d+|GO-\d{4}-\d{4}|(?:DSA|USN)-\d{4}-\d|RH[SBE]A-\d{4}:\d+|MS\d\d-\d{3})(?![A-Za-z0-9_])",
    rf"(?<![A-Za-z0-9_-])(?P<code>(?:{'|'.join(sorted(DATABASE_PREFIXES))})-\d{{4,6}})(?![A-Za-z0-9_])",
)
"""Codes that need their surroundings to be told from a number or a word; `code` is what to look up."""

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
        """.split(),
        key=len,
        reverse=True,
    )
)
"""Korean particles that are written onto the word before them: `keeper_memory_search를`."""
