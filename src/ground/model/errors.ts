import { defineError, visibleLine } from "#ground/base"
import { LONGEST_ANSWER_CHARACTERS, LONGEST_PROMPT_CHARACTERS } from "./limits.ts"

type ProviderName = { readonly provider: string }

export const NoKey = defineError<ProviderName & { variable: string; credential: string }>()(
  "MODEL_NO_KEY",
  {
    family: "invalid",
    message: (it) => `No API key found for ${it.provider} (model.provider).`,
    hint: (it) =>
      `Set ${it.variable}, or run \`qm credential set ${it.credential}\`. To work offline, set model.provider to scripted.`,
  },
)

export const KeyInvalid = defineError<ProviderName & { variable: string; credential: string }>()(
  "MODEL_KEY_INVALID",
  {
    family: "invalid",
    message: (it) => `The API key for ${it.provider} contains invalid characters.`,
    hint: (it) =>
      `Copy the key again without spaces and line breaks: set ${it.variable}, or run \`qm credential set ${it.credential}\`.`,
  },
)

export const SettingMissing = defineError<{ setting: string; variable: string; needs: string }>()(
  "MODEL_SETTING_MISSING",
  {
    family: "invalid",
    message: (it) => `The setting ${it.setting} is empty; ${it.needs} requires it.`,
    hint: (it) => `Set ${it.setting} in the user config, or ${it.variable} in the environment.`,
  },
)

export const AddressInvalid = defineError<{ setting: string; reason: string }>()(
  "MODEL_ADDRESS_INVALID",
  {
    family: "invalid",
    message: (it) => `The address in ${it.setting} is invalid: ${it.reason}.`,
    hint: (it) =>
      `Set ${it.setting} to an https address. Plain http is allowed for this machine only.`,
  },
)

export const ConnectionUnknown = defineError<{ name: string; nearest: string | undefined }>()(
  "MODEL_CONNECTION_NOT_FOUND",
  {
    family: "not-found",
    message: (it) => `Model connection ${visibleLine(it.name)} does not exist.`,
    hint: (it) =>
      it.nearest === undefined
        ? "List all with `qm connection`; its help shows how to add one."
        : `Did you mean ${it.nearest}? List all with \`qm connection\`.`,
  },
)

export const ConnectionWithoutKey = defineError<{ name: string; credential: string }>()(
  "MODEL_CONNECTION_NO_KEY",
  {
    family: "invalid",
    message: (it) => `The model connection ${it.name} has no key and is not used.`,
    hint: (it) => `Run \`qm credential set ${it.credential}\`.`,
  },
)

export const ConnectionWithoutAddress = defineError<{ name: string; provider: string }>()(
  "MODEL_CONNECTION_NO_ADDRESS",
  {
    family: "invalid",
    message: (it) => `The connection ${it.name} has no address; ${it.provider} requires one.`,
    hint: () => "Add --base-url with the address of your resource or server.",
  },
)

export const ConnectionsUnreadable = defineError<{ path: string; reason: string }>()(
  "MODEL_CONNECTIONS_UNREADABLE",
  {
    family: "unavailable",
    message: (it) => `The connections in ${visibleLine(it.path)} cannot be read: ${it.reason}.`,
    hint: () => "Nothing was changed. Correct the file, or move it away and add them again.",
  },
)

export const TooManyConnections = defineError<{ most: number }>()("MODEL_TOO_MANY_CONNECTIONS", {
  family: "invalid",
  message: (it) => `There are already ${it.most} model connections, which is the limit.`,
  hint: () => "List them with `qm connection` and remove one first.",
})

export const ModelRefused = defineError<ProviderName & { status: number; reason: string }>()(
  "MODEL_REFUSED",
  {
    family: "denied",
    message: (it) => `${it.provider} refused the request (${it.status}): ${it.reason}`,
    hint: () =>
      "Check the key, model.name and model.baseUrl. Retrying without a change does not help.",
  },
)

export const ModelBusy = defineError<
  ProviderName & { status: number; reason: string; tries: number }
>()("MODEL_BUSY", {
  family: "too-many",
  message: (it) => `${it.provider} is busy (${it.status}, ${tried(it.tries)}): ${it.reason}`,
  hint: () => "Wait a few minutes and resume, or raise model.retries.",
})

export const ModelFailed = defineError<
  ProviderName & { status: number; reason: string; tries: number }
>()("MODEL_FAILED", {
  family: "unavailable",
  message: (it) => `${it.provider} failed (${it.status}, ${tried(it.tries)}): ${it.reason}`,
  hint: () => "The provider reported an internal error. Try again later.",
})

export const ModelUnreachable = defineError<ProviderName & { reason: string; tries: number }>()(
  "MODEL_UNREACHABLE",
  {
    family: "unavailable",
    message: (it) => `${it.provider} is unreachable (${tried(it.tries)}): ${it.reason}`,
    hint: () => "Check the network and model.baseUrl, then try again.",
  },
)

export const ModelTimedOut = defineError<ProviderName & { seconds: number }>()("MODEL_TIMED_OUT", {
  family: "unavailable",
  message: (it) => `${it.provider} did not finish its response within ${it.seconds} seconds.`,
  hint: () => "Raise model.timeout, or request less at once.",
})

export const AnswerTooLarge = defineError<ProviderName>()("MODEL_ANSWER_TOO_LARGE", {
  family: "full",
  message: (it) =>
    `The response of ${it.provider} exceeds ${LONGEST_ANSWER_CHARACTERS} characters and was cancelled.`,
  hint: () => "Request a shorter response, or lower its token budget.",
})

export const PromptTooLarge = defineError<{ characters: number }>()("MODEL_PROMPT_TOO_LARGE", {
  family: "invalid",
  message: (it) =>
    `The prompt has ${it.characters} characters; the limit is ${LONGEST_PROMPT_CHARACTERS}.`,
  hint: () => "Give the stage less context: fewer paragraphs or a smaller budget.",
})

export const SchemaInvalid = defineError<{ name: string; reason: string }>()(
  "MODEL_SCHEMA_INVALID",
  {
    family: "invalid",
    message: (it) => `The response schema of ${it.name} is invalid: ${it.reason}`,
    hint: () => "Correct the JSON schema of that stage; `qm recipe validate` names the line.",
  },
)

export const EmbeddingWrong = defineError<ProviderName & { reason: string }>()(
  "MODEL_EMBEDDING_WRONG",
  {
    family: "unavailable",
    message: (it) => `The vectors of ${it.provider} are invalid: ${it.reason}.`,
    hint: () =>
      "Check knowledge.embedder and knowledge.embedderUrl. Without an embedder, search uses words only.",
  },
)

function tried(tries: number): string {
  return tries === 1 ? "1 try" : `${tries} tries`
}
