export { scaffoldHandlers } from "./scaffold.ts"
