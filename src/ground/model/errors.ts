import { defineError } from "#ground/base"
import { LONGEST_ANSWER_CHARACTERS, LONGEST_PROMPT_CHARACTERS } from "./limits.ts"

type ProviderName = { readonly provider: string }

export const NoKey = defineError<ProviderName & { variable: string; credential: string }>()(
  "MODEL_NO_KEY",
  {
    family: "invalid",
    message: (it) => `There is no key for ${it.provider}, which model.provider names.`,
    hint: (it) =>
      `Set ${it.variable}, or run \`qm credential set ${it.credential}\`. Set model.provider to scripted to work offline.`,
  },
)

export const KeyInvalid = defineError<ProviderName & { variable: string; credential: string }>()(
  "MODEL_KEY_INVALID",
  {
    family: "invalid",
    message: (it) => `The key for ${it.provider} holds characters that no key has.`,
    hint: (it) =>
      `Copy the key again, without blanks and line breaks: ${it.variable}, or \`qm credential set ${it.credential}\`.`,
  },
)

export const SettingMissing = defineError<{ setting: string; variable: string; needs: string }>()(
  "MODEL_SETTING_MISSING",
  {
    family: "invalid",
    message: (it) => `The setting ${it.setting} is empty, and ${it.needs} needs it.`,
    hint: (it) => `Set ${it.setting} in the user config, or ${it.variable} in the environment.`,
  },
)

export const AddressInvalid = defineError<{ setting: string; reason: string }>()(
  "MODEL_ADDRESS_INVALID",
  {
    family: "invalid",
    message: (it) => `The address in ${it.setting} cannot be used: ${it.reason}.`,
    hint: (it) => `Give ${it.setting} an https address; http is for this machine only.`,
  },
)

export const ModelRefused = defineError<ProviderName & { status: number; reason: string }>()(
  "MODEL_REFUSED",
  {
    family: "denied",
    message: (it) => `${it.provider} refused the call (${it.status}): ${it.reason}`,
    hint: () => "Check the key, model.name and model.baseUrl; asking again changes nothing.",
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
  hint: () => "The failure is on the provider's side. Try again later.",
})

export const ModelUnreachable = defineError<ProviderName & { reason: string; tries: number }>()(
  "MODEL_UNREACHABLE",
  {
    family: "unavailable",
    message: (it) => `${it.provider} could not be reached (${tried(it.tries)}): ${it.reason}`,
    hint: () => "Check the network and model.baseUrl, then try again.",
  },
)

export const ModelTimedOut = defineError<ProviderName & { seconds: number }>()("MODEL_TIMED_OUT", {
  family: "unavailable",
  message: (it) => `${it.provider} did not finish its answer within ${it.seconds} seconds.`,
  hint: () => "Raise model.timeout, or ask for less at once.",
})

export const AnswerTooLarge = defineError<ProviderName>()("MODEL_ANSWER_TOO_LARGE", {
  family: "full",
  message: (it) =>
    `The answer of ${it.provider} is longer than ${LONGEST_ANSWER_CHARACTERS} characters and was cut off.`,
  hint: () => "Ask for a shorter answer, or lower its token budget.",
})

export const PromptTooLarge = defineError<{ characters: number }>()("MODEL_PROMPT_TOO_LARGE", {
  family: "invalid",
  message: (it) =>
    `The prompt has ${it.characters} characters; at most ${LONGEST_PROMPT_CHARACTERS} are sent.`,
  hint: () => "Give the stage less context: fewer paragraphs, or a smaller budget.",
})

export const SchemaInvalid = defineError<{ name: string; reason: string }>()(
  "MODEL_SCHEMA_INVALID",
  {
    family: "invalid",
    message: (it) => `The schema of the answer to ${it.name} cannot be used: ${it.reason}`,
    hint: () => "Correct the JSON schema of that stage; `qm agent validate` names the place.",
  },
)

export const EmbeddingWrong = defineError<ProviderName & { reason: string }>()(
  "MODEL_EMBEDDING_WRONG",
  {
    family: "unavailable",
    message: (it) => `The vectors of ${it.provider} cannot be used: ${it.reason}.`,
    hint: () =>
      "Check knowledge.embedder and knowledge.embedderUrl; without them words are searched.",
  },
)

function tried(tries: number): string {
  return tries === 1 ? "one try" : `${tries} tries`
}
