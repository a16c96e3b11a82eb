import { type ESTree, Visitor } from "vite"
import { type Finding, type Findings, fail } from "./finding.ts"
import { superlinearReason } from "./linear-pattern.ts"
import { lineAt, type Source, type Tree } from "./tree.ts"

/**
 * Every regular expression of the product is linear: texts come from repositories, hosts and
 * clients, and one slow pattern stalls the server for all of them.
 */
export function checkRegularExpressions(tree: Tree): Findings {
  const reasons = new Map<string, string | undefined>()
  return fail(
    ...tree.sources
      .filter(({ path, isTest }) => !isTest && !path.includes(".fixture."))
      .filter(({ path }) => /^(?:src|console\/src|bin)\//.test(path))
      .flatMap((source) => expressionsIn(source).map((it) => ({ ...it, source })))
      .flatMap(({ pattern, flags, start, source }) => {
        const key = `${flags}/${pattern}`
        if (!reasons.has(key)) reasons.set(key, reasonOf(pattern, flags))
        const reason = reasons.get(key)
        return reason === undefined ? [] : [finding(source, start, reason)]
      }),
  )
}

function reasonOf(pattern: string, flags: string): string | undefined {
  try {
    return superlinearReason(pattern, flags)
  } catch (error) {
    return `it cannot be read: ${String(error)}`
  }
}

function finding({ path, text }: Source, start: number, reason: string): Finding {
  return {
    where: `${path}:${lineAt(text, start)}`,
    wrong: `The regular expression is not linear: ${reason}.`,
    instead:
      "Exclude the first character from the loop, bound the loop (`{0,200}`), or start it with `(?<!…)`.",
  }
}

type Expression = { readonly pattern: string; readonly flags: string; readonly start: number }

function expressionsIn({ parsed }: Source): readonly Expression[] {
  const expressions: Expression[] = []
  const constants = new Map<string, ESTree.Expression>()
  const built: { readonly node: ESTree.NewExpression }[] = []
  new Visitor({
    Literal(node) {
      if (!("regex" in node)) return
      const { pattern, flags } = node.regex
      expressions.push({ pattern, flags, start: node.start })
    },
    VariableDeclarator(node) {
      if (node.id.type === "Identifier" && node.init) constants.set(node.id.name, node.init)
    },
    NewExpression(node) {
      if (node.callee.type === "Identifier" && node.callee.name === "RegExp") built.push({ node })
    },
  }).visit(parsed.program)
  for (const { node } of built) {
    const [pattern, flags] = node.arguments.map((it) => textOf(it, constants, 0))
    expressions.push({ pattern: pattern ?? "", flags: flags ?? "", start: node.start })
  }
  return expressions
}

/** A part that is computed counts as one letter: escaped text has no loops. */
const COMPUTED = "x"
const MOST_STEPS = 20

/** The text of an expression of constants, as far as it is in this file. */
function textOf(
  node: ESTree.Node,
  constants: ReadonlyMap<string, ESTree.Expression>,
  depth: number,
): string {
  const text = (it: ESTree.Node): string => textOf(it, constants, depth + 1)
  if (depth > MOST_STEPS) return COMPUTED
  switch (node.type) {
    case "Literal":
      return "regex" in node ? node.regex.pattern : String(node.value)
    case "TemplateLiteral":
      return joined(node, text, "cooked")
    case "TaggedTemplateExpression":
      return joined(node.quasi, text, "raw")
    case "BinaryExpression":
      return node.operator === "+" ? text(node.left) + text(node.right) : "9"
    case "Identifier": {
      const value = constants.get(node.name)
      return value === undefined ? COMPUTED : text(value)
    }
    case "MemberExpression":
      return text(node.object)
    case "CallExpression":
      return calledText(node, text)
    default:
      return COMPUTED
  }
}

function joined(
  { quasis, expressions }: ESTree.TemplateLiteral,
  text: (node: ESTree.Node) => string,
  form: "cooked" | "raw",
): string {
  return quasis
    .map((quasi, index) => {
      const value = expressions[index]
      return `${quasi.value[form] ?? ""}${value === undefined ? "" : text(value)}`
    })
    .join("")
}

/** `["a", "b"].join("|")`; any other call is computed. */
function calledText(node: ESTree.CallExpression, text: (node: ESTree.Node) => string): string {
  const { callee } = node
  const isJoin =
    callee.type === "MemberExpression" &&
    callee.property.type === "Identifier" &&
    callee.property.name === "join"
  if (!isJoin || callee.object.type !== "ArrayExpression") return COMPUTED
  const [separator] = node.arguments
  return callee.object.elements
    .map((it) => (it === null ? "" : text(it)))
    .join(separator === undefined ? "," : text(separator))
}
