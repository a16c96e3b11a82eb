import { scaffoldHandlers } from "#act/scaffold"
import { createGraphs } from "#know/map"
import { placeInside } from "../places.ts"
import type { Services } from "../services.ts"

export function openScaffoldHandlers(services: Services) {
  const graphs = createGraphs()
  return scaffoldHandlers({
    root: () => services.places().repository.root,
    tree: (context) => services.map().tree(context),
    async importers(tree) {
      const { importers } = await graphs.of(tree).whole()
      return importers
    },
    place: (userPath) => {
      const { root } = services.places().repository
      return services.resolve(userPath) === root ? "" : placeInside(services, userPath)
    },
  })
}
