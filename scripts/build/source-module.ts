import path from "node:path"
import { parseAst } from "rolldown/parseAst"

/** Fields of a declaration that are built at their first use, by the function that declares it. */
const LAZY_FIELDS: Readonly<Record<string, readonly string[]>> = {
  defineOperations: ["input", "output"],
  defineEvent: ["body"],
}

export type Range = { readonly start: number; readonly end: number }
/** An export of a module: a file of `src`, or a package. */
export type Target = { readonly file: string; readonly name: string }

type Reference = Range & {
  readonly name: string
  readonly isShorthand: boolean
  readonly isInFunction: boolean
}
type LazyField = Range & { readonly name: string; readonly value: Range }
type Constant = Range & {
  readonly isExported: boolean
  readonly init: Range
  /** Names that its value needs, outside functions. */
  readonly dependencies: ReadonlySet<string>
}

/** Names, constants and references of a module of `src`, with their positions. */
export type SourceModule = {
  readonly file: string
  readonly imports: ReadonlyMap<string, Target>
  readonly exports: ReadonlyMap<string, Target>
  /** Declared at the top of the module. */
  readonly constants: Map<string, Constant>
  readonly references: readonly Reference[]
  readonly lazyFields: readonly LazyField[]
  /** Declared in functions and blocks. */
  readonly innerNames: ReadonlySet<string>
  /** Exports of other modules that this one reads from `await import()`; `*` is all of them. */
  readonly dynamicNames: readonly Target[]
}

type SourceFile = { readonly file: string; readonly folder: string }

export function readModule(code: string, place: SourceFile): SourceModule {
  const { file } = place
  const imports = new Map<string, Target>()
  const exports = new Map<string, Target>()
  const constants = new Map<string, Constant>()
  const uses = collectUses(place)
  const statements = nodesIn(parseAst(code, { lang: "ts", sourceType: "module" }, file).body)
  for (const statement of statements) readImports(statement, place, imports)
  for (const statement of statements) {
    for (const [name, target] of exportsOf(statement, place)) {
      exports.set(name, target.file === file ? (imports.get(target.name) ?? target) : target)
    }
    const declared = constantIn(statement)
    if (declared === undefined) {
      uses.visitStatement(statement)
      continue
    }
    const { name, init, ...rest } = declared
    const needs = uses.visitValue(init)
    if (needs !== undefined) constants.set(name, { ...rest, init, dependencies: needs })
  }
  const { references, lazyFields, innerNames, dynamicNames } = uses
  return { file, imports, exports, constants, references, lazyFields, innerNames, dynamicNames }
}

type Node = Range & { readonly type: string; readonly [field: string]: unknown }

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value
}

function nodesIn(value: unknown): readonly Node[] {
  return (Array.isArray(value) ? value : [value]).filter(isNode)
}

function nodeIn(node: Node | undefined, field: string): Node | undefined {
  return nodesIn(node?.[field])[0]
}

/** The name of an identifier, the text of a literal. */
function textOf(node: Node | undefined): string {
  return String(node?.type === "Literal" ? node["value"] : node?.["name"])
}

function resolve(source: Node | undefined, { file, folder }: SourceFile): string {
  const text = textOf(source)
  if (text.startsWith("#")) return path.join(folder, text.slice(1), "index.ts")
  return text.startsWith(".") ? path.resolve(path.dirname(file), text) : text
}

function readImports(statement: Node, place: SourceFile, imports: Map<string, Target>): void {
  if (statement.type !== "ImportDeclaration" || statement["importKind"] === "type") return
  const file = resolve(nodeIn(statement, "source"), place)
  for (const specifier of nodesIn(statement["specifiers"])) {
    if (specifier["importKind"] === "type") continue
    const name = specifier.type === "ImportSpecifier" ? textOf(nodeIn(specifier, "imported")) : "*"
    imports.set(textOf(nodeIn(specifier, "local")), { file, name })
  }
}

function exportsOf(statement: Node, place: SourceFile): readonly (readonly [string, Target])[] {
  if (statement.type !== "ExportNamedDeclaration") return []
  const source = nodeIn(statement, "source")
  const file = source === undefined ? place.file : resolve(source, place)
  const declared = constantIn(statement)?.name
  return [
    ...(declared === undefined ? [] : [[declared, { file, name: declared }] as const]),
    ...nodesIn(statement["specifiers"]).map((specifier) => {
      const name = textOf(nodeIn(specifier, "local"))
      return [textOf(nodeIn(specifier, "exported")), { file, name }] as const
    }),
  ]
}

function constantIn(statement: Node) {
  const isExported = statement.type === "ExportNamedDeclaration"
  const declaration = isExported ? nodeIn(statement, "declaration") : statement
  if (declaration?.type !== "VariableDeclaration" || declaration["kind"] !== "const")
    return undefined
  const [declarator, ...others] = nodesIn(declaration["declarations"])
  const id = nodeIn(declarator, "id")
  const init = nodeIn(declarator, "init")
  if (id?.type !== "Identifier" || init === undefined || others.length > 0) return undefined
  return { name: textOf(id), isExported, init, start: statement.start, end: statement.end }
}

const FUNCTIONS: ReadonlySet<string> = new Set([
  "ArrowFunctionExpression",
  "FunctionDeclaration",
  "FunctionExpression",
])

/** Collects what statements refer to and declare. */
function collectUses(place: SourceFile) {
  const references: Reference[] = []
  const lazyFields: LazyField[] = []
  const innerNames = new Set<string>()
  const dynamicNames: Target[] = []
  const parents: Node[] = []
  let functionDepth = 0
  let isAwaiting = false

  const visitAll = (value: unknown): void => nodesIn(value).forEach(visit)
  function visit(node: Node): void {
    parents.push(node)
    visitParts(node)
    parents.pop()
  }
  function visitParts(node: Node): void {
    if (node.type.startsWith("TS")) return visitAll(node["expression"])
    if (FUNCTIONS.has(node.type)) return visitFunction(node)
    switch (node.type) {
      case "Identifier":
        return addReference(node, false)
      case "MemberExpression":
        visitAll(node["object"])
        return visitKey(node, "property")
      case "Property":
        return visitProperty(node)
      case "MethodDefinition":
      case "PropertyDefinition":
        visitKey(node, "key")
        return visitAll(node["value"])
      case "ClassDeclaration":
      case "ClassExpression":
        if (parents.length > 1) declare(nodeIn(node, "id"))
        visitAll(node["superClass"])
        return visitAll(node["body"])
      case "VariableDeclarator":
        if (parents.length > 2 || nodeIn(node, "id")?.type !== "Identifier")
          declare(nodeIn(node, "id"))
        return visitAll(node["init"])
      case "CatchClause":
        declare(nodeIn(node, "param"))
        return visitAll(node["body"])
      case "ImportDeclaration":
      case "MetaProperty":
      case "BreakStatement":
      case "ContinueStatement":
        return
      case "ExportNamedDeclaration":
        return visitAll(node["declaration"])
      case "CallExpression":
        addLazyFields(node)
        return visitFields(node)
      case "ImportExpression":
        return addDynamicNames(node)
      case "AwaitExpression":
        if (functionDepth === 0) isAwaiting = true
        return visitFields(node)
      default:
        return visitFields(node)
    }
  }
  function visitFields(node: Node): void {
    for (const value of Object.values(node)) visitAll(value)
  }
  function visitKey(node: Node, field: string): void {
    if (node["computed"] === true) visitAll(node[field])
  }
  function visitProperty(node: Node): void {
    const value = nodeIn(node, "value")
    visitKey(node, "key")
    if (node["shorthand"] === true && value?.type === "Identifier") addReference(value, true)
    else if (value !== undefined) visit(value)
  }
  function visitFunction(node: Node): void {
    functionDepth++
    // The statement itself, or its export, has one or no parent.
    if (node.type !== "FunctionDeclaration" || parents.length > 2) declare(nodeIn(node, "id"))
    nodesIn(node["params"]).forEach(declare)
    visitAll(node["body"])
    functionDepth--
  }
  /** The names of a pattern; its default values are references. */
  function declare(pattern: Node | undefined): void {
    switch (pattern?.type) {
      case "Identifier":
        innerNames.add(textOf(pattern))
        return
      case "AssignmentPattern":
        declare(nodeIn(pattern, "left"))
        return visitAll(pattern["right"])
      case "RestElement":
        return declare(nodeIn(pattern, "argument"))
      case "ArrayPattern":
        return nodesIn(pattern["elements"]).forEach(declare)
      case "ObjectPattern":
        return nodesIn(pattern["properties"]).forEach(declare)
      case "Property":
        visitKey(pattern, "key")
        return declare(nodeIn(pattern, "value"))
      default:
    }
  }
  function addReference(node: Node, isShorthand: boolean): void {
    const { start, end } = node
    const isInFunction = functionDepth > 0
    references.push({ name: textOf(node), start, end, isShorthand, isInFunction })
  }
  function addLazyFields(call: Node): void {
    const fields = LAZY_FIELDS[textOf(nodeIn(call, "callee"))]
    if (fields === undefined) return
    const declared = nodesIn(call["arguments"]).flatMap((it) => nodesIn(it["properties"]))
    const inner = declared.flatMap((it) => nodesIn(nodeIn(it, "value")?.["properties"]))
    for (const property of [...declared, ...inner]) {
      const name = textOf(nodeIn(property, "key"))
      const value = nodeIn(property, "value")
      if (value === undefined || property["shorthand"] === true || !fields.includes(name)) continue
      lazyFields.push({ name, value, start: property.start, end: property.end })
    }
  }
  function addDynamicNames(node: Node): void {
    const file = resolve(nodeIn(node, "source"), place)
    const [reader, awaiting] = [parents.at(-3), parents.at(-2)]
    const pattern = nodeIn(reader, "id")
    if (awaiting?.type !== "AwaitExpression") dynamicNames.push({ file, name: "*" })
    else if (reader?.type === "MemberExpression") {
      dynamicNames.push({ file, name: textOf(nodeIn(reader, "property")) })
    } else if (pattern?.type === "ObjectPattern") {
      for (const property of nodesIn(pattern["properties"])) {
        dynamicNames.push({
          file,
          name: property.type === "Property" ? textOf(nodeIn(property, "key")) : "*",
        })
      }
    } else if (reader?.type !== "ExpressionStatement") dynamicNames.push({ file, name: "*" })
  }
  return {
    references,
    lazyFields,
    innerNames,
    dynamicNames,
    visitStatement: visit,
    /** The names that a value needs, or undefined if it awaits something. */
    visitValue(init: Node): ReadonlySet<string> | undefined {
      const before = references.length
      isAwaiting = false
      parents.push(init)
      visit(init)
      parents.pop()
      if (isAwaiting) return undefined
      const needs = references.slice(before).filter((it) => !it.isInFunction)
      return new Set(needs.map((it) => it.name))
    },
  }
}
