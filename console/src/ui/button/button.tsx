import type { ReactNode, Ref } from "react"
import { classNames } from "../class-names.ts"
import { Icon, type IconName } from "../icon/icon.tsx"
import { KeyHint, useKey, useTip } from "../keys/keys.tsx"
import styles from "./button.module.css"

type ButtonLook = {
  readonly variant?: "primary" | "plain" | "ghost" | "danger"
  readonly small?: boolean
  readonly icon?: IconName
}

type ButtonProps = ButtonLook & {
  readonly children: ReactNode
  readonly onPress: () => void
  readonly keyId?: string
  readonly disabled?: boolean
  readonly pressed?: boolean
  readonly shrinks?: boolean
  readonly ref?: Ref<HTMLButtonElement>
}

export function Button(props: ButtonProps) {
  const {
    variant = "plain",
    small = false,
    icon,
    keyId,
    disabled = false,
    onPress,
    children,
  } = props
  useKey(keyId ?? "", keyId === undefined || disabled ? undefined : onPress)
  return (
    <button
      ref={props.ref}
      type="button"
      className={classNames(styles.button, styles[variant], small && styles.sm)}
      disabled={disabled}
      aria-pressed={props.pressed}
      onClick={onPress}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      <span className={classNames(props.shrinks === true && styles["label-wide"])}>{children}</span>
      {keyId === undefined ? null : (
        <KeyHint id={keyId} onFill={variant === "primary" && !disabled} />
      )}
    </button>
  )
}

type IconButtonProps = {
  readonly icon: IconName
  readonly label: string
  readonly onPress: () => void
  readonly keyId?: string
  readonly small?: boolean
  readonly pressed?: boolean
  readonly bordered?: boolean
}

export function IconButton(props: IconButtonProps) {
  const { icon, label, onPress, keyId, small = false, pressed } = props
  useKey(keyId ?? "", keyId === undefined ? undefined : onPress)
  return (
    <button
      type="button"
      className={classNames(
        styles.button,
        props.bordered === true ? styles.plain : styles.ghost,
        styles.icon,
        small && styles.sm,
        pressed === true && styles.on,
      )}
      aria-label={label}
      aria-pressed={pressed}
      data-tip={useTip(label, keyId)}
      onClick={onPress}
    >
      <Icon name={icon} />
    </button>
  )
}

type LinkButtonProps = ButtonLook & {
  readonly href: string
  /** A page of another server opens in its own tab and learns nothing of this one. */
  readonly isOutside?: boolean
  readonly children: ReactNode
}

export function LinkButton({
  variant = "plain",
  small = false,
  icon,
  href,
  isOutside = false,
  children,
}: LinkButtonProps) {
  const outside = { target: "_blank", rel: "noopener noreferrer" }
  return (
    <a
      href={href}
      className={classNames(styles.button, styles[variant], small && styles.sm)}
      {...(isOutside ? outside : {})}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      <span>{children}</span>
    </a>
  )
}
