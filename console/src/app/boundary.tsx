import { Component, type ReactNode } from "react"
import { hasCode, toWireError } from "../base/errors.ts"
import { Failure } from "../ui/failure/failure.tsx"
import { Header } from "../ui/frame/frame.tsx"
import { PART_NOT_LOADED, reloadOnceServed } from "./load-later.tsx"

type Props = { readonly children: ReactNode }
type State = { readonly error: unknown; readonly hasFailed: boolean }

/** A page that breaks does not take the shell with it. A class, because React has no other way. */
export class PageBoundary extends Component<Props, State> {
  override state: State = { error: undefined, hasFailed: false }

  static getDerivedStateFromError(error: unknown): State {
    return { error, hasFailed: true }
  }

  retry = (): void => {
    if (hasCode(this.state.error, PART_NOT_LOADED)) reloadOnceServed()
    else this.setState({ error: undefined, hasFailed: false })
  }

  override render(): ReactNode {
    if (!this.state.hasFailed) return this.props.children
    return (
      <>
        <Header title="Failure" />
        <Failure size="page" error={toWireError(this.state.error)} onRetry={this.retry} />
      </>
    )
  }
}

type LayerProps = Props & { onFailure(error: unknown): void }

export class LayerBoundary extends Component<LayerProps, Pick<State, "hasFailed">> {
  override state = { hasFailed: false }

  static getDerivedStateFromError(): Pick<State, "hasFailed"> {
    return { hasFailed: true }
  }

  override componentDidCatch(error: unknown): void {
    this.props.onFailure(error)
  }

  override render(): ReactNode {
    return this.state.hasFailed ? null : this.props.children
  }
}
