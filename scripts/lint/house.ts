/**
 * Project rules that oxlint lacks. It loads this file as a plugin (`jsPlugins` in .oxlintrc.json)
 * and shows `house/…` beside its own findings.
 */

type Node = { readonly type: string }
type Context = { report(finding: { node: Node; message: string }): void }
type Visitor = Readonly<Record<string, (node: Node) => void>>
type Rule = { create(context: Context): Visitor }

/**
 * `new Date(x)` formats a given time; `new Date()` reads the wall clock.
 */
const noBareDate: Rule = {
  create: (context) => ({
    NewExpression(node) {
      if (!isBareDate(node)) return
      context.report({ node, message: "Use the injected Clock: new Date(clock.now())." })
    },
  }),
}

/**
 * Promise C1: a deferred BEGIN fails with several processes despite a busy timeout (1,510 of 2,000
 * measured); BEGIN IMMEDIATE failed 0 times.
 */
const beginImmediate: Rule = {
  create(context) {
    const check = (node: Node, text: string) => {
      if (!DEFERRED_BEGIN.test(text)) return
      context.report({ node, message: "Use db.transaction(), or BEGIN IMMEDIATE in the adapter." })
    }
    return {
      Literal: (node) => check(node, literalText(node)),
      TemplateElement: (node) => check(node, templateText(node)),
    }
  },
}

/** A predicate name promises a synchronous answer without effects; asynchronous work has a verb. */
const syncPredicates: Rule = {
  create: (context) => ({
    ExportNamedDeclaration(node) {
      for (const { name, fn } of exportedFunctions(node)) {
        if (!PREDICATE_NAME.test(name) || !isAsync(fn)) continue
        const message = `${name} is async: name it by a verb, e.g. check${name.replace(/^(?:is|has|can)/, "")}.`
        context.report({ node, message })
      }
    },
  }),
}

const PREDICATE_NAME = /^(?:is|has|can)[A-Z]/

const DEFERRED_BEGIN = /(?:^|;)\s*begin(?:\s+(?:deferred|exclusive|transaction|work))*\s*(?:;|$)/i

function isBareDate(node: Node): boolean {
  const callee = "callee" in node && isObject(node.callee) ? node.callee : {}
  const isDate = "name" in callee && callee.name === "Date"
  return isDate && "arguments" in node && Array.isArray(node.arguments) && !node.arguments.length
}

function exportedFunctions(node: Node): readonly { readonly name: string; readonly fn: object }[] {
  const declaration = objectAt(node, "declaration")
  const list = "declarations" in declaration ? declaration.declarations : undefined
  const declarations: readonly unknown[] = Array.isArray(list) ? list : [declaration]
  return declarations.filter(isObject).map((declaration) => {
    const id = objectAt(declaration, "id")
    const name = "name" in id && typeof id.name === "string" ? id.name : ""
    return { name, fn: "init" in declaration ? objectAt(declaration, "init") : declaration }
  })
}

function isAsync(fn: object): boolean {
  const returned = objectAt(objectAt(fn, "returnType"), "typeAnnotation")
  const typeName = objectAt(returned, "typeName")
  const isPromise = "name" in typeName && typeName.name === "Promise"
  return isPromise || ("async" in fn && fn.async === true)
}

function objectAt(parent: object, key: string): object {
  const value: unknown = Reflect.get(parent, key)
  return isObject(value) ? value : {}
}

function literalText(node: Node): string {
  return "value" in node && typeof node.value === "string" ? node.value : ""
}

function templateText(node: Node): string {
  const value = "value" in node && isObject(node.value) ? node.value : {}
  return "raw" in value && typeof value.raw === "string" ? value.raw : ""
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null
}

// oxlint requires a default export.
export default {
  meta: { name: "house" },
  rules: {
    "no-bare-date": noBareDate,
    "begin-immediate": beginImmediate,
    "sync-predicates": syncPredicates,
  },
}
