import { createMatcher } from "#ground/base"

export type ClassifyGlobs = {
  readonly ignored: readonly string[]
  readonly important: readonly string[]
  readonly registration: readonly string[]
}

export type Classifier = ReturnType<typeof createClassifier>

export function createClassifier(globs: Partial<ClassifyGlobs> = {}) {
  const isIgnored = createMatcher(globs.ignored ?? DEFAULT_GLOBS.ignored)
  const isWeighty = createMatcher(globs.important ?? DEFAULT_GLOBS.important)
  const registration = globs.registration ?? DEFAULT_GLOBS.registration
  const isRegistrationFile = createMatcher(registration)
  const isTrackable = (path: string) => isRegistrationFile(path) || !isIgnored(path)
  return {
    isTrackable,
    isRegistrationFile,
    /** Every registration path contains one of these; undefined when a pattern has no literal. */
    registrationMarks: marksOf(registration),
    isImportant: (path: string) => !isRegistrationFile(path) && !isIgnored(path) && isWeighty(path),
  }
}

/** The longest literal of each pattern, so that most lines need no match. */
function marksOf(patterns: readonly string[]): readonly string[] | undefined {
  const marks = patterns.map((pattern) => {
    if (/[[\\]/.test(pattern)) return ""
    const texts = pattern
      .split(/\{[^{}]*\}|[*?{}]/)
      .map((it) => it.replace(/^[./]+|(?<!\/)\/+$/g, ""))
    return texts.reduce((longest, it) => (it.length > longest.length ? it : longest), "")
  })
  return marks.includes("") ? undefined : marks
}

const DEFAULT_GLOBS: ClassifyGlobs = {
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
