import { createMatcher } from "#ground/base"

export type ClassifyGlobs = {
  /** Never written into a ledger. */
  readonly ignored: readonly string[]
  /** Worth registering when they change. */
  readonly important: readonly string[]
  /** Whoever changes one of these has registered. */
  readonly registration: readonly string[]
}

export type Classifier = ReturnType<typeof createClassifier>

/** What a change of a file means. The one seam between the kit and how a project is laid out. */
export function createClassifier(globs: Partial<ClassifyGlobs> = {}) {
  const isIgnored = createMatcher(globs.ignored ?? DEFAULT_GLOBS.ignored)
  const isWeighty = createMatcher(globs.important ?? DEFAULT_GLOBS.important)
  const registration = globs.registration ?? DEFAULT_GLOBS.registration
  const isRegistrationFile = createMatcher(registration)
  const isTrackable = (path: string) => isRegistrationFile(path) || !isIgnored(path)
  return {
    isTrackable,
    isRegistrationFile,
    /** The path of a registration file holds one of these; undefined when that cannot be said. */
    registrationMarks: marksOf(registration),
    isImportant: (path: string) => !isRegistrationFile(path) && !isIgnored(path) && isWeighty(path),
  }
}

/** Of each pattern the longest text that all its paths have, so that most lines need no look. */
function marksOf(patterns: readonly string[]): readonly string[] | undefined {
  const marks = patterns.map((pattern) => {
    // What brackets and backslashes mean is for the matcher to know.
    if (/[[\\]/.test(pattern)) return ""
    const texts = pattern.split(/\{[^{}]*\}|[*?{}]/).map((it) => it.replace(/^[./]+|\/+$/g, ""))
    return texts.reduce((longest, it) => (it.length > longest.length ? it : longest), "")
  })
  return marks.includes("") ? undefined : marks
}

/** Cover common layouts of most languages; a project's config replaces a list as a whole. */
export const DEFAULT_GLOBS: ClassifyGlobs = {
  ignored: [
    ".git",
    ".qm",
    "{node_modules,bower_components,vendor,.venv,venv,__pycache__,.tox,.gradle,.idea,.vscode}",
    "{dist,build,out,target,coverage,tmp,.next,.nuxt,.turbo,.cache,.pytest_cache,.mypy_cache}",
    "*.{log,tmp,swp,pyc,class,o,obj,map,snap}",
    "*~",
    ".DS_Store",
  ],
  important: [
    "*.{ts,tsx,mts,cts,js,jsx,mjs,cjs,vue,svelte,astro,css,scss,html}",
    "*.{py,go,rs,java,kt,kts,scala,groovy,swift,m,mm,c,h,cc,cpp,hpp,cs,fs,vb,rb,php,pl,lua,r,jl}",
    "*.{ex,exs,erl,hrl,hs,ml,mli,clj,cljs,elm,dart,zig,nim,sol,sh,bash,ps1}",
    "*.{sql,prisma,proto,graphql,gql,thrift,avsc,tf,bicep,ipynb}",
    "{package.json,pyproject.toml,setup.py,requirements.txt,Cargo.toml,go.mod,pom.xml,Gemfile}",
    "{build.gradle,composer.json,mix.exs,Package.swift,CMakeLists.txt,deno.json,tsconfig.json}",
    "{Dockerfile,Makefile,Justfile,docker-compose.yml,compose.yaml,.gitlab-ci.yml}",
    ".github/workflows",
    "{migrations,openapi.yaml,openapi.json,schema.json}",
  ],
  registration: [".qm/memory/sessions", ".qm/memory/decisions", "CHANGELOG.md"],
}
