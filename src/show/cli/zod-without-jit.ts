import { z } from "zod"

/**
 * zod compiles each object schema at its first use, which pays off only when it is used often. Import
 * this before any schema is declared.
 */
z.config({ jitless: true })
