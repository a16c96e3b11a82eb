import { navigate } from "../../data/location.ts"
import { paths } from "../../data/paths.ts"
import { Button } from "../../ui/button/button.tsx"

type AddToPackageProps = { readonly paths: readonly string[]; readonly label: string }

export function AddToPackage({ paths: pins, label }: AddToPackageProps) {
  return (
    <Button
      small
      keyId="map.pack"
      disabled={pins.length === 0}
      onPress={() => navigate(paths.pack({ pins: [...pins] }))}
    >
      {label}
    </Button>
  )
}
