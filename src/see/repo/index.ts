export type { Repository } from "./repo.ts"
export { currentBranch, locateRepository, PROJECT_FOLDER } from "./repo.ts"
