import { paths } from "../data/paths.ts"
import { LinkButton } from "../ui/button/button.tsx"
import { Failure } from "../ui/failure/failure.tsx"
import { Header } from "../ui/frame/frame.tsx"

export function NotFoundPage({ path }: { readonly path: string }) {
  return (
    <>
      <Header title="Not found" />
      <Failure
        size="page"
        error={{
          code: "CONSOLE_PAGE_NOT_FOUND",
          message: "There is no page at this address",
          hint: `${path} leads nowhere in this version. Nothing is broken; start again from Now.`,
          data: { path },
        }}
      >
        <LinkButton href={paths.now()} look="primary">
          Go to Now
        </LinkButton>
      </Failure>
    </>
  )
}
