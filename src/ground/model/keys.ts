import type { ModelProvider } from "#ground/contract"

/** Where a provider's key is looked for: the variable first, then the credential store. */
export type KeyName = { readonly variable: string; readonly credential: string }

export const MODEL_KEYS: Readonly<Record<Exclude<ModelProvider, "scripted">, KeyName>> = {
  anthropic: { variable: "ANTHROPIC_API_KEY", credential: "anthropic" },
  openai: { variable: "OPENAI_API_KEY", credential: "openai" },
  azure: { variable: "AZURE_OPENAI_API_KEY", credential: "azure" },
  custom: { variable: "QM_MODEL_API_KEY", credential: "custom" },
}
