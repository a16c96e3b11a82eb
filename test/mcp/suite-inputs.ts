import { randomBytes } from "node:crypto"
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server"
import { z } from "zod"
import { say } from "./suite-tools.ts"

const none = z.object({})
const Name = z.object({ name: z.string() })
const Color = z.object({ color: z.string() })
const Confirmed = z.object({ ok: z.boolean() })
const Context = z.object({ context: z.string() })

const QUESTIONS = {
  context: { key: "user_context", message: "What context should it use?", schema: Context },
  name: { key: "user_name", message: "What is your name?", schema: Name },
  confirm: { key: "confirm", message: "Please confirm", schema: Confirmed },
  step1: { key: "step1", message: "Step 1: What is your name?", schema: Name },
  step2: { key: "step2", message: "Step 2: What is your favorite color?", schema: Color },
} as const

/** Signed with a key of this process, because a client's state is untrusted until verified. */
const state = createRequestStateCodec<string>({ key: randomBytes(32) })

/** Tools and a prompt that must query the client before they answer, with the suite's names. */
export function mountInputs(server: McpServer): void {
  // Verified before a handler runs. This is a constructor option, but the server already exists.
  Reflect.set(server.server, "_requestStateVerify", state.verify)
  mountOneQuestion(server)
  mountStates(server)
  mountCapabilities(server)
  server.registerPrompt(
    "test_input_required_result_prompt",
    { description: "Asks for its context first" },
    (context: ServerContext) => {
      const given = acceptedContent(context.mcpReq.inputResponses, "user_context", Context)
      if (given === undefined) {
        return ask(QUESTIONS.context)
      }
      return { messages: [{ role: "user", content: say(`In the context of ${given.context}`) }] }
    },
  )
}

function mountOneQuestion(server: McpServer): void {
  const greet = (_: unknown, context: ServerContext) => {
    const given = acceptedContent(context.mcpReq.inputResponses, "user_name", Name)
    if (given === undefined) return ask(QUESTIONS.name)
    return { content: [say(`Hello, ${given.name}!`)] }
  }
  for (const name of ["test_input_required_result_elicitation", "test_streaming_elicitation"]) {
    server.registerTool(name, { description: "Asks for a name", inputSchema: none }, greet)
  }
  server.registerTool(
    "test_input_required_result_sampling",
    { description: "Asks the client's model", inputSchema: none },
    (_, context) => {
      const given = inputResponse(context.mcpReq.inputResponses, "capital_question")
      if (given.kind === "sampling") return { content: [say(JSON.stringify(given.result.content))] }
      const inputRequests = { capital_question: sample("What is the capital of France?", 100) }
      return inputRequired({ inputRequests })
    },
  )
  server.registerTool(
    "test_missing_capability",
    { description: "Needs a client that samples", inputSchema: none },
    () => inputRequired({ inputRequests: { word: sample("Say a word", 10) } }),
  )
  server.registerTool(
    "test_input_required_result_list_roots",
    { description: "Asks for the client's roots", inputSchema: none },
    (_, context) => {
      const given = inputResponse(context.mcpReq.inputResponses, "client_roots")
      if (given.kind === "roots") return { content: [say(JSON.stringify(given.roots))] }
      return inputRequired({ inputRequests: { client_roots: inputRequired.listRoots() } })
    },
  )
}

function mountStates(server: McpServer): void {
  const confirm = async (_: unknown, context: ServerContext) => {
    const given = acceptedContent(context.mcpReq.inputResponses, "confirm", Confirmed)
    const echoed = stateOf(context)
    if (given !== undefined && echoed === "confirm") return { content: [say("state-ok")] }
    return ask(QUESTIONS.confirm, await state.mint("confirm"))
  }
  for (const name of ["request_state", "tampered_state"]) {
    const tool = `test_input_required_result_${name}`
    server.registerTool(tool, { description: "Has a state", inputSchema: none }, confirm)
  }
  server.registerTool(
    "test_input_required_result_multi_round",
    { description: "Asks twice", inputSchema: none },
    async (_, context) => {
      const echoed = stateOf(context)
      const name = acceptedContent(context.mcpReq.inputResponses, "step1", Name)
      const color = acceptedContent(context.mcpReq.inputResponses, "step2", Color)
      if (echoed === "step2" && color !== undefined) return { content: [say("Both known.")] }
      if (echoed === "step1" && name !== undefined) {
        return ask(QUESTIONS.step2, await state.mint("step2"))
      }
      return ask(QUESTIONS.step1, await state.mint("step1"))
    },
  )
}

function mountCapabilities(server: McpServer): void {
  server.registerTool(
    "test_input_required_result_multiple_inputs",
    { description: "Asks three things at once", inputSchema: none },
    async (_, context) => {
      const given = context.mcpReq.inputResponses
      const kinds = ["user_name", "greeting", "client_roots"].map(
        (key) => inputResponse(given, key).kind,
      )
      if (!kinds.includes("missing")) return { content: [say("All three known.")] }
      return inputRequired({
        inputRequests: {
          user_name: question("What is your name?", Name),
          greeting: sample("Generate a greeting", 50),
          client_roots: inputRequired.listRoots(),
        },
        requestState: await state.mint("all three"),
      })
    },
  )
  server.registerTool(
    "test_input_required_result_capabilities",
    { description: "Asks only what the client can answer", inputSchema: none },
    (_, context) => {
      const can = capabilitiesOf(context)
      const inputRequests = {
        ...(!can.has("elicitation") ? {} : { name: question("Your name?", Name) }),
        ...(!can.has("sampling") ? {} : { word: sample("Say a word", 10) }),
        ...(!can.has("roots") ? {} : { roots: inputRequired.listRoots() }),
      }
      if (Object.keys(inputRequests).length > 0) return inputRequired({ inputRequests })
      return { content: [say("You can answer nothing.")] }
    },
  )
}

function capabilitiesOf(context: ServerContext): ReadonlySet<string> {
  const envelope: Readonly<Record<string, unknown>> = context.mcpReq.envelope ?? {}
  const said = z.record(z.string(), z.unknown()).safeParse(envelope[CLIENT_CAPABILITIES_META_KEY])
  return new Set(Object.keys(said.data ?? {}))
}

function stateOf(context: ServerContext): string | undefined {
  return context.mcpReq.requestState<string>()
}

type Question = { readonly key: string; readonly message: string; readonly schema: z.ZodObject }

function ask({ key, message, schema }: Question, requestState?: string) {
  const inputRequests = { [key]: question(message, schema) }
  return inputRequired({
    inputRequests,
    ...(requestState === undefined ? {} : { requestState }),
  })
}

function question(message: string, requestedSchema: z.ZodObject) {
  return inputRequired.elicit({ message, requestedSchema })
}

function sample(text: string, maxTokens: number) {
  return inputRequired.createMessage({
    messages: [{ role: "user", content: say(text) }],
    maxTokens,
  })
}
