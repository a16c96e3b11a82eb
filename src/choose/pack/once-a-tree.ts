/** What depends on a tree alone is made once for it, and forgotten with it. */
export function onceATree<Tree extends object, Made>(make: (tree: Tree) => Made) {
  const made = new WeakMap<Tree, Made>()
  return (tree: Tree): Made => {
    const known = made.get(tree)
    if (known !== undefined) return known
    const fresh = make(tree)
    made.set(tree, fresh)
    return fresh
  }
}
