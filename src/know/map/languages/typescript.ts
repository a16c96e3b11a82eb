import type { Language } from "../language.ts"
import { ECMASCRIPT, ECMASCRIPT_QUERY } from "./ecmascript.ts"

export const TYPESCRIPT_QUERY = `${ECMASCRIPT_QUERY}
(function_signature name: (identifier) @name) @def.function
(abstract_class_declaration name: (type_identifier) @name) @def.class
(abstract_method_signature name: (property_identifier) @name) @def.function
(method_signature name: (property_identifier) @name) @def.function
(public_field_definition name: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @def.function
(interface_declaration name: (type_identifier) @name) @def.interface
(type_alias_declaration name: (type_identifier) @name) @def.type
(enum_declaration name: (identifier) @name) @def.enum
(internal_module name: (_) @name) @def.module
(module name: (_) @name) @def.module
(internal_module body: (statement_block (export_statement (lexical_declaration
  (variable_declarator name: (identifier) @name) @def.constant))))
(ambient_declaration (_) @inner) @wrapper

(type_identifier) @ref
`

export const typescript: Language = {
  name: "typescript",
  extensions: ["ts", "mts", "cts"],
  query: TYPESCRIPT_QUERY,
  ...ECMASCRIPT,
}
