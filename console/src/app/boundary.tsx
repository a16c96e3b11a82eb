import { Component, type ReactNode } from "react"
import { toWireError } from "../data/errors.ts"
import { Failure } from "../ui/failure/failure.tsx"
import { Header } from "../ui/frame/frame.tsx"

type Props = { readonly children: ReactNode }
type State = { readonly error: unknown; readonly hasFailed: boolean }

/** A page that breaks does not take the shell with it. A class, because React has no other way. */
export class PageBoundary extends Component<Props, State> {
  override state: State = { error: undefined, hasFailed: false }

  static getDerivedStateFromError(error: unknown): State {
    return { error, hasFailed: true }
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
    return (
      <>
        <Header title="Failure" />
        <Failure
          size="page"
          error={toWireError(this.state.error)}
          onRetry={() => this.setState({ error: undefined, hasFailed: false })}
        />
      </>
    )
  }
}
