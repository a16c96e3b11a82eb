import { defineError } from "#ground/base"

export const NoCredentials = defineError<{ provider: string }>()("MEDIA_NO_CREDENTIALS", {
  family: "denied",
  message: (it) => `${it.provider} needs a Gemini API key; nothing was sent.`,
  hint: () => "Set GEMINI_API_KEY, or store it with `qm credential set gemini`.",
})

export const ContentPolicy = defineError<{ provider: string; reason: string }>()(
  "MEDIA_CONTENT_POLICY",
  {
    family: "denied",
    message: (it) => `${it.provider} refused the prompt or its result: ${it.reason}.`,
    hint: () => "Rephrase the prompt. The refusal comes from the provider's content policy.",
  },
)

export const CostCapReached = defineError<{ spent: number; price: number; cap: number }>()(
  "MEDIA_COST_CAP_REACHED",
  {
    family: "too-many",
    message: (it) =>
      `This call costs about $${it.price.toFixed(3)}; $${it.spent.toFixed(3)} of the limit of $${it.cap.toFixed(2)} is spent.`,
    hint: () => "Raise QM_MEDIA_MAX_USD, or choose a cheaper model or a shorter video.",
  },
)

export const RateLimit = defineError<{ provider: string; seconds: number | undefined }>()(
  "MEDIA_RATE_LIMIT",
  {
    family: "too-many",
    message: (it) => `${it.provider} refused the request: too many requests.`,
    hint: (it) =>
      it.seconds === undefined
        ? "Wait a minute, or check the quota of the key."
        : `Try again in ${it.seconds} s, or check the quota of the key.`,
  },
)

export const ProviderError = defineError<{ provider: string; reason: string }>()(
  "MEDIA_PROVIDER_ERROR",
  {
    family: "unavailable",
    message: (it) => `${it.provider} failed: ${it.reason}`,
    hint: () => "Try again later; check media.imageModel, media.videoModel and media.baseUrl.",
  },
)

export const BadInput = defineError<{ reason: string }>()("MEDIA_BAD_INPUT", {
  family: "invalid",
  message: (it) => `The request is invalid: ${it.reason}.`,
  hint: () => "See `qm media image --help` and `qm media video --help`.",
})

export const MediaIo = defineError<{ file: string; reason: string }>()("MEDIA_IO", {
  family: "unavailable",
  message: (it) => `${it.file} cannot be written: ${it.reason}.`,
  hint: () => "Name a new file in a folder that exists and can be written.",
})
