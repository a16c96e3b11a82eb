import { type Environment, pickEnvironment } from "#ground/base"
import { HANDED_ON, type Stage, shutIn } from "./told.ts"

export function codexEnvironment(
  stage: Pick<Stage, "environment" | "scene" | "modelUrl">,
): Environment {
  return {
    ...pickEnvironment(stage.environment, HANDED_ON),
    TMPDIR: stage.scene.scratch,
    TERM: "dumb",
    ...shutIn(stage.modelUrl),
    QM_PROOF_KEY: "not-a-key",
  }
}
