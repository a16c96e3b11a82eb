import { isDeepStrictEqual } from "node:util"
import { z } from "zod"

const { core } = z
type Schema = z.core.$ZodType

/**
 * Compiles schemas into plain functions: building the schemas of one operation and parsing with them
 * takes a tenth of a short command. A compiled function returns what the schema's `parse` returns, or
 * undefined where it cannot say, for an invalid value or a rare one; then the caller asks the schema.
 */
export function compileValidators(schemas: Readonly<Record<string, Schema>>): string {
  const compiler = createCompiler()
  const fields = Object.entries(schemas).flatMap(([name, schema]) => {
    const compiled = compiler.tryCompile(schema)
    return compiled === undefined ? [] : [`${JSON.stringify(name)}:v=>known(${compiled}(v))`]
  })
  const head = "const N=Symbol(),{isArray}=Array,{hasOwn}=Object,known=r=>r===N?undefined:r"
  return [head, ...compiler.functions(), `export default {${fields.join(",")}}`, ""].join("\n")
}

/** A kind of schema that has no compiled form. */
class Unsupported extends Error {}

function createCompiler() {
  const nameByBody = new Map<string, string>()
  const nameBySchema = new Map<Schema, string>()

  /** The name of a function from a value to the parsed value, or to `N`. */
  const compile = (schema: Schema): string => {
    const before = nameBySchema.get(schema)
    if (before !== undefined) return before
    const body = bodyOf(schema)
    const name = nameByBody.get(body) ?? `f${nameByBody.size}`
    nameByBody.set(body, name)
    nameBySchema.set(schema, name)
    return name
  }

  const bodyOf = (schema: Schema): string =>
    leafBody(schema) ?? wrapperBody(schema) ?? compositeBody(schema)

  const wrapperBody = (schema: Schema): string | undefined => {
    if (schema instanceof core.$ZodNullable)
      return `return v===null?v:${compile(schema._zod.def.innerType)}(v)`
    if (schema instanceof core.$ZodOptional) {
      const { innerType } = schema._zod.def
      if (innerType._zod.optin === "defaulted") throw new Unsupported("optional")
      return `return v===undefined?v:${compile(innerType)}(v)`
    }
    if (schema instanceof core.$ZodDefault) {
      const { innerType, defaultValue } = schema._zod.def
      return `return v===undefined?${literal(defaultValue)}:${compile(innerType)}(v)`
    }
    if (schema instanceof core.$ZodPrefault) {
      const { innerType, defaultValue } = schema._zod.def
      return `return ${compile(innerType)}(v===undefined?${literal(defaultValue)}:v)`
    }
    return undefined
  }

  const compositeBody = (schema: Schema): string => {
    if (schema instanceof core.$ZodArray) return arrayBody(schema)
    if (checksOf(schema).length > 0) throw new Unsupported("checks")
    if (schema instanceof core.$ZodObject) return objectBody(schema)
    if (schema instanceof core.$ZodUnion) return unionBody(schema)
    if (schema instanceof core.$ZodTuple) return tupleBody(schema)
    if (schema instanceof core.$ZodRecord) return recordBody(schema)
    throw new Unsupported(schema._zod.def.type)
  }

  const arrayBody = (schema: z.core.$ZodArray): string => {
    const conditions = ["isArray(v)", ...checkConditions(schema)].join("&&")
    const item = compile(schema._zod.def.element)
    const loop = `for(let i=0;i<v.length;i++)if((r[i]=${item}(v[i]))===N)return N`
    return `if(!(${conditions}))return N;const r=Array(v.length);${loop};return r`
  }

  const tupleBody = ({ _zod: { def } }: z.core.$ZodTuple): string => {
    if (def.rest !== null || def.items.some((it) => it._zod.optin !== undefined))
      throw new Unsupported("tuple")
    const values = def.items.map((it, index) => `${compile(it)}(v[${index}])`).join(",")
    const isWhole = `isArray(v)&&v.length===${def.items.length}`
    return `if(!(${isWhole}))return N;const r=[${values}];return r.includes(N)?N:r`
  }

  const recordBody = ({ _zod: { def } }: z.core.$ZodRecord): string => {
    // Without `partial`, a record with an enum as its keys requires all of them.
    const isOpen = def.keyType instanceof core.$ZodString || isPartial(def)
    if (!isOpen) throw new Unsupported("record")
    const isPlain = `typeof v==="object"&&v!==null&&Object.getPrototypeOf(v)===Object.prototype`
    const isOdd = `k==="__proto__"||${compile(def.keyType)}(k)===N`
    const loop = `for(const k of keys)if(${isOdd}||(r[k]=${compile(def.valueType)}(v[k]))===N)return N`
    const keys = "const keys=Object.keys(v);if(keys.length!==Reflect.ownKeys(v).length)return N"
    return `if(!(${isPlain}))return N;${keys};const r={};${loop};return r`
  }

  const unionBody = ({ _zod: { def } }: z.core.$ZodUnion): string => {
    const tries = def.options.map((it) => `if((r=${compile(it)}(v))!==N)return r`)
    return `let r;${tries.join(";")};return N`
  }

  const objectBody = ({ _zod: { def } }: z.core.$ZodObject): string => {
    const fields = Object.entries(def.shape).map(([key, field]) => fieldCode(key, field))
    const isObject = `if(typeof v!=="object"||v===null||isArray(v))return N`
    return [isObject, "const o={};let r", ...fields, ...othersCode(def.catchall), "return o"].join(
      ";",
    )
  }

  const fieldCode = (key: string, field: Schema): string => {
    if (key === "__proto__") throw new Unsupported(key)
    const name = JSON.stringify(key)
    const take = `if((r=${compile(field)}(v[${name}]))===N)return N;o[${name}]=r`
    const { optin, optout } = field._zod
    if (optin === "defaulted" && optout !== "optional") return take
    if (optin === "optional" && optout === "optional") return `if(${name} in v){${take}}`
    if (optin !== undefined) throw new Unsupported(optin)
    return `if(!(${name} in v))return N;${take}`
  }

  return {
    tryCompile(schema: Schema): string | undefined {
      try {
        return compile(schema)
      } catch (error) {
        if (error instanceof Unsupported) return undefined
        throw error
      }
    },
    functions: () => [...nameByBody].map(([body, name]) => `function ${name}(v){${body}}`),
  }
}

function leafBody(schema: Schema): string | undefined {
  if (schema instanceof core.$ZodUnknown) return "return v"
  if (schema instanceof core.$ZodEnum)
    return `return ${oneOf(Object.values(schema._zod.def.entries))}?v:N`
  if (schema instanceof core.$ZodLiteral) return `return ${oneOf(schema._zod.def.values)}?v:N`
  const type = typeCondition(schema)
  if (type === undefined) return undefined
  return `return ${[type, ...checkConditions(schema)].join("&&")}?v:N`
}

function typeCondition(schema: Schema): string | undefined {
  if (schema instanceof core.$ZodStringFormat) {
    if (!(schema instanceof core.$ZodISODate)) throw new Unsupported(schema._zod.def.format)
    return `typeof v==="string"&&${testOf(schema._zod.def.pattern)}`
  }
  if (schema instanceof core.$ZodString) {
    if (schema._zod.def.coerce === true) throw new Unsupported("coerce")
    return `typeof v==="string"`
  }
  if (schema instanceof core.$ZodNumberFormat) return numberFormat(schema._zod.def.format)
  if (schema instanceof core.$ZodNumber) {
    if (schema._zod.def.coerce === true) throw new Unsupported("coerce")
    return "Number.isFinite(v)"
  }
  if (schema instanceof core.$ZodBoolean) {
    if (schema._zod.def.coerce === true) throw new Unsupported("coerce")
    return "(v===true||v===false)"
  }
  return undefined
}

function numberFormat(format: string): string {
  if (format !== "safeint") throw new Unsupported(format)
  return "Number.isSafeInteger(v)"
}

function checksOf(schema: Schema): readonly z.core.$ZodCheck<never>[] {
  return schema._zod.def.checks ?? []
}

/** As strict as the schema or stricter: lengths of texts are counted in UTF-16 units. */
function checkConditions(schema: Schema): readonly string[] {
  const isText = schema instanceof core.$ZodString
  return checksOf(schema).map((check) => {
    if (check instanceof core.$ZodCheckMaxLength) return `v.length<=${check._zod.def.maximum}`
    if (check instanceof core.$ZodCheckMinLength) {
      const least = check._zod.def.minimum
      return `v.length>=${isText && least > 1 ? 2 * least : least}`
    }
    if (check instanceof core.$ZodCheckGreaterThan) return `v>${limitOf(check._zod.def)}`
    if (check instanceof core.$ZodCheckLessThan) return `v<${limitOf(check._zod.def)}`
    if (check instanceof core.$ZodCheckNumberFormat) return numberFormat(check._zod.def.format)
    if (check instanceof core.$ZodCheckRegex) return testOf(check._zod.def.pattern)
    throw new Unsupported("check")
  })
}

function limitOf({ value, inclusive }: { readonly value: unknown; readonly inclusive: boolean }) {
  return `${inclusive ? "=" : ""}${literal(value)}`
}

/** Fields outside the shape: dropped by default, refused by a strict schema, kept by a loose one. */
function othersCode(catchall: Schema | undefined): readonly string[] {
  if (catchall === undefined) return []
  if (catchall instanceof core.$ZodNever) return ["for(const k in v)if(!hasOwn(o,k))return N"]
  if (!(catchall instanceof core.$ZodUnknown)) throw new Unsupported("catchall")
  return [`for(const k in v)if(!hasOwn(o,k)){if(k==="__proto__")return N;o[k]=v[k]}`]
}

function isPartial(def: z.core.$ZodRecordDef): boolean {
  return "partial" in def && def.partial === true
}

function testOf(pattern: RegExp | undefined): string {
  if (pattern === undefined || pattern.global || pattern.sticky) throw new Unsupported("pattern")
  return `${pattern}.test(v)`
}

function oneOf(values: readonly unknown[]): string {
  return `(${values.map((it) => `v===${literal(it)}`).join("||") || "false"})`
}

function literal(value: unknown): string {
  if (value === undefined) throw new Unsupported("undefined")
  const text = JSON.stringify(value)
  if (!isDeepStrictEqual(JSON.parse(text), value)) throw new Unsupported("value")
  return text
}
