"""What error codes and rule names look like, and where they stand: data only."""

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

    BUSYGROUP CLUSTERDOWN CROSSSLOT EXECABORT MASTERDOWN MISCONF NOPERM NOREPLICAS NOSCRIPT WRONGPASS WRONGTYPE
    """.split()
)
"""Error names without a prefix that gives them away: errno, npm, signals, TLS, DNS, gRPC, Redis."""

NUMBERED_STANDARDS = frozenset(
    """
    A AES AMD APACHE ARM ASCII AVX BASE BIG BSD CC CES COVID CP CRC CUDA DDR DES EC ECDSA ECMA EN ES EUC FIPS
    FLOAT FY GB GPL GPT GTX H HMAC HS HTTP IBM ICLR IEC IEEE INT IPV ISO JDK JIS JSR KOI LATIN LGPL
    MIT MPL MSVC NIST P PBKDF PEP PM PS RFC RSA RTX SHA SIMD SM SSE TLS UCS UINT UTF USB V VS WIN WPA X
    EPSG GMT ISBN UTC JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC
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

MESSAGE_NUMBERS = r"(?:MY-\d{6}|TS-99\d{4}|GHC-\d{5}|AVD-[A-Z]+-\d{4})"
"""MySQL, Angular, Haskell, Trivy: what looks like an issue and is a message's number."""

ERROR_CONSTANTS = (
    r"(?:ERR|ERROR|E|ER|EAI|WSAE|CURLE|NS_ERROR|SSL_ERROR|SEC_ERROR|PR|MOZILLA_PKIX_ERROR|DNS_PROBE|CUDA_ERROR"
    r"|VK_ERROR|X509_V_ERR|EXCEPTION|NTE|[A-Z]{2,8}_E|[A-Z]{2,6}_ERROR)_[A-Z0-9]\w*",
    r"WSAE[A-Z]+",
    r"SQLITE_(?:BUSY|CANTOPEN|CONSTRAINT|CORRUPT|ERROR|FULL|IOERR|LOCKED|MISMATCH|MISUSE|NOTADB|READONLY)\w*",
    r"CKV2?_[A-Z]+_\d+",
    r"STATUS_(?:ACCESS|STACK|HEAP|DLL|INVALID|ENTRYPOINT|ILLEGAL|INTEGER|CONTROL_C|NO_MEMORY|IN_PAGE)\w*",
)
"""Constants that their beginning tells to be errors, as patterns for the whole word."""

HEX_CODES = (
    # HRESULT and NTSTATUS, as far as their facilities are in use; the rest are addresses.
    r"0x(?!80{7})(?:80[0-3]|87[A-F]|88[79])[0-9A-F]{5}|0xC0(?:0|1[A-E]|2)[0-9A-F]{4,5}|0xC19[0-9A-F]{5}",
    # Windows stop codes; a single bit and a mask are flags.
    r"0x00000(?!000|00[1248]|0[1248]0|[1]00|00F|0FF|1FF)[01][0-9A-F]{2}",
    r"0xE06D7363|0xE0434352|0xE0434F4D|0x8BADF00D|0xDEAD10CC|0xC00010FF",
)
"""Hexadecimal numbers that are codes by themselves, as patterns without case."""

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
    r"\b(?:dis|en)able[-_]error[-_]code(?:[ ]*=)?[ ]*\[?[\"']?",
    r"\bpylint [^=]{0,80}--disable=",
    r"//[ ]*ignore(?:_for_file)?:[ ]*",
    r"\bReSharper[ ]+(?:disable|restore)(?:[ ]+once)?[ ]+",
    r"\bnoinspection[ ]+",
    r"\bcredo:disable-for-[\w-]+[ ]+",
    r"\bsvelte-ignore[ ]+",
    r"\bstandard:(?:disable|enable)[ ]+",
    # How an editor shows where a diagnostic comes from: eslint(no-unused-vars).
    r"\b(?:eslint|pylint|[Pp]ylance|pyright|mypy|ruff|rustc|clippy|shellcheck|stylelint|biome|[Ff]lake8)\(",
)
"""What comes before a list of rules that a comment or an attribute switches off or on, as patterns."""

RULE_PLUGINS = (
    r"@(?:angular-eslint|babel|graphql-eslint|next/next|nx|stylistic|tanstack/query|typescript-eslint|vitest)",
    r"astro|cypress|es-x|eslint-comments|import-x|jest|jest-dom|jsdoc|jsonc|jsx-a11y|no-unsanitized|perfectionist",
    r"playwright|qunit|react|react-compiler|react-hooks|react-native|react-refresh|rxjs|scss|simple-import-sort",
    r"sonarjs|storybook|svelte|tailwindcss|testing-library|tsdoc|unicorn|unused-imports|vitest|vue|yml",
    # Words that prose joins with a slash as well: `import/export-related`.
    r"(?:compat|functional|graphql|import|lit|lodash|mocha|n|node|promise|regexp|security|solid|wc)"
    r"(?=/(?:always|detect|max|newline|no|param|prefer|require|valid)-)",
)
"""Linter plugins that name their rules `plugin/what-not-to-do`, as patterns."""

NO_PLUGIN_RULES = (
    r"(?:compiler|eslint|scope|server|tsconfig|type|typescript|visitor)-"
    r"|jsx-(?:dev-)?runtime|project-service|rule-tester"
)
"""Packages of the same names: `react/jsx-runtime`, `@typescript-eslint/eslint-plugin`."""

RULE_DEPARTMENTS = """
    Bundler Capybara FactoryBot Gemspec Layout Lint Metrics Minitest Naming Performance RSpec Rails Security Sorbet
    Style
""".split()
"""RuboCop's: `Style/StringLiterals`."""

PYRIGHT_RULES = """
    Argument Assignment AttributeAccess Call Duplicate General Implicit ImportCycles Incompatible Index Invalid
    Missing NoOverload Operator Optional PossiblyUnbound Private Redeclaration ReturnType SelfCls TypedDict Unbound
    Undefined Unhashable Unknown Unnecessary Unreachable Unsupported Untyped Unused WildcardImport
""".split()
"""How Pyright's rules go on after `report`."""

CODES_IN_CONTEXT = (
    r"(?i:\bsql ?state)\s*(?:[\[(:=]+\s*)?[\"']?(?P<code>(?=[0-9A-Z]*\d)[0-9A-Z]{5})(?![A-Za-z0-9_])",
    r"\b(?i:errcode)\s*=\s*[\"'](?P<code>[0-9A-Z]{5})[\"']",
    r"\b(?:ERROR|FATAL|PANIC):\s+(?P<code>(?=[0-9A-Z]*\d)[0-9A-Z]{5}):",
    r"\bERROR \d{4,5} \((?P<code>[0-9A-Z]{5})\)",
    r"\bERROR (?P<code>\d{4,5}) \([0-9A-Z]{5}\)",
    r"\b(?i:error code):? (?P<code>\d{4,5})(?!\d)",
    r"\[(?P<code>(?:Errno|WinError) -?\d+)\]",
    r"\bnpm (?:ERR!|error) code (?P<code>[A-Z][A-Z0-9_]{2,})",
    r"\b(?i:sql ?code|sql error code)(?:\s*[=:])?\s*(?P<code>-\d{3,5})(?!\d)",
    r"\bMsg (?P<code>\d{2,5}), Level \d",
    r"\bError: (?P<code>\d{3,5}), Severity: \d",
    r"\b\d{6} \((?P<code>[0-9A-Z]{5})\):",
    r"\((?P<code>os error \d+)\)",
    r"\berror:(?P<code>[0-9A-F]{8}):",
    r"\b(?i:stop(?: code| error)?|bug ?check(?: code)?):? \(?(?P<code>0x[0-9A-Fa-f]{1,8})\b",
    # eslint and its like: place, severity, message, and the rule behind two blanks.
    r"^\s*\d+:\d+\s+(?i:error|warning|info|[✖⚠×])[:\s].*(?<=\s\s)\(?(?P<code>@?[a-z][\w-]*(?:/[\w-]+)*)\)?\s*$",
    # javac, Error Prone, lintr: warning: [deprecation] …
    r"\b(?:error|style|warning): \[(?P<code>[A-Za-z][\w-]+)\]",
    r"^\s*(?:error|info|warning)\b.* [•-] (?P<code>[a-z][a-z0-9]*(?:_[a-z0-9]+)+)\s*$",
    r"\b[CEFRW]: (?:\[Correctable\] )?(?P<code>[A-Z]\w+(?:/[A-Z]\w+)+):",
    r"\bWarning \d{1,3} \[(?P<code>[a-z]+(?:-[a-z]+)*)\]",
    r"🪪\s+(?P<code>[a-z]\w*(?:\.\w+)+)",
    r"\bMD\d{3}/(?P<code>[a-z][a-z-]+)",
    r"\[B\d{3}:(?P<code>\w+)\]",
    r"\b[CEFRWI]\d{4}[(:](?P<code>[a-z][a-z-]+)\)",
    r"\bmypy\b[^\[\]]{0,60}\[(?P<code>[a-z]+(?:-[a-z]+)*)\]",
    # A rule that a configuration sets.
    r"(?<![\w@/-])(?P<code>@?[a-z]\w*(?:-\w+)*/[\w/-]+)[\"']?\s*:\s*(?:\[\s*)?[\"']?(?:error|warn|off)\b",
    r"(?<![\w@/-])(?P<code>[a-z]\w*(?:-\w+)*-(?!level|mode|policy)\w+)[\"']?\s*:\s*(?:\[\s*)?[\"'](?:error|warn|off)[\"']",
    r"(?<![\w@/-])(?P<code>(?:no|prefer)(?:-\w+)+)\s*:\s*(?:\[\s*)?(?:error|warn|off)\b",
    # Rules that their plugin or family tells, wherever they stand but in an import.
    rf"(?<![\w@/.-])(?<!from [\"'])(?<!import [\"'])(?<!import\([\"'])(?<!require\([\"'])"
    rf"(?P<code>(?:{'|'.join(RULE_PLUGINS)})/(?!{NO_PLUGIN_RULES})[a-z][a-z0-9]*(?:-[a-z0-9]+)+)(?![\w/-]|\.\w)",
    r"(?<![\w/])(?P<code>lint/[a-z][a-z0-9]+/[a-z]\w+)(?![\w/]|\.\w)",
    rf"(?<![\w/.:])(?P<code>(?:{'|'.join(RULE_DEPARTMENTS)})(?:/[A-Z]\w+)+)(?![\w/]|\.\w)",
    rf"(?<!\w)(?P<code>report(?:{'|'.join(PYRIGHT_RULES)})\w*)(?![\w(])",
    r"(?<![\w-])(?P<code>-W(?!ait|arning|eb|hat|here|idth|indow|ith|ork|rap|rit)[a-z][\w+]{2,}(?:[-=][\w+]+)*)",
    r"(?<![\w:])(?P<code>(?:clippy|rustdoc)::\w+)",
    r"(?<![A-Za-z0-9_-])(?P<code>(?i:CVE-\d{4}-\d{4,7}|GHSA(?:-[0-9a-z]{4}){3}|CWE-\d{1,4})|RUSTSEC-\d{4}-\d{4}"
    r"|PYSEC-\d{4}-\d+|GO-\d{4}-\d{4}|(?:DSA|USN)-\d{4}-\d|RH[SBE]A-\d{4}:\d+|MS\d\d-\d{3})(?![A-Za-z0-9_])",
    rf"(?<![A-Za-z0-9_-])(?P<code>(?:{'|'.join(sorted(DATABASE_PREFIXES))})-\d{{4,6}}|{MESSAGE_NUMBERS})(?![A-Za-z0-9_])",
)
"""Codes that need their surroundings to be told from a number or a word; `code` is what to look up."""
