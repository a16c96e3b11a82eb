export type { JsonSchema, ModelAnswer, ModelAsk } from "./ask.ts"
export type { Embedder, EmbedderDeps } from "./embedder.ts"
export { createEmbedder } from "./embedder.ts"
export {
  AddressInvalid,
  AnswerTooLarge,
  EmbeddingWrong,
  KeyInvalid,
  ModelBusy,
  ModelFailed,
  ModelRefused,
  ModelTimedOut,
  ModelUnreachable,
  NoKey,
  PromptTooLarge,
  SchemaInvalid,
  SettingMissing,
} from "./errors.ts"
export type { Extracted } from "./json/extract-json.ts"
export { extractJson } from "./json/extract-json.ts"
export type { Model, ModelDeps } from "./model.ts"
export { createModel } from "./model.ts"
export type { ScriptedBrain } from "./scripted.ts"
export type { KeyName } from "./settings.ts"
export { MODEL_KEYS } from "./settings.ts"
