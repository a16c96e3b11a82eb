import { useMutation, useQueryClient } from "@tanstack/react-query"
import { toWireError } from "../../base/errors.ts"
import type { RecipeFolder } from "../../contract.ts"
import { invalidateOperations } from "../../data/keys.ts"
import { useClient, useOperation } from "../../data/queries.tsx"
import { useToast } from "../../ui/toast/toast.tsx"

export function useRecipes() {
  return useOperation("recipe.list", {})
}

export function useRecipe(slug: string) {
  return useOperation("recipe.show", { slug }, { isEnabled: slug !== "" })
}

export function useSources(isEnabled: boolean) {
  return useOperation("source.list", {}, { isEnabled: isEnabled })
}

export function useTrust() {
  const client = useClient()
  const queries = useQueryClient()
  const toast = useToast()
  return useMutation({
    mutationFn: ({ slug, digest }: RecipeFolder) => client.write("recipe.trust", { slug, digest }),
    onSuccess: ({ slug }) => toast.show({ text: `${slug} is trusted` }),
    onError: (error: unknown) => toast.fail(toWireError(error)),
    onSettled: () => {
      invalidateOperations(queries, ["recipe.list", "recipe.show"])
    },
  })
}
