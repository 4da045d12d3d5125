/** One entry of the permission tree: a section, a page or a button. */
export interface Right {
  id: number
  code: string
  name: string
  /** The group holds it, as the server last said. */
  allotted: boolean
  /** The current operator has it too: nobody can assign a permission that they lack. */
  grantable: boolean
  children: readonly Right[]
}

/** The ids of what a group holds. */
export type Held = ReadonlySet<number>

/** The state of an entry: with everything below it, with some of it, or not at all. */
export type Mark = 'all' | 'some' | 'none'

const isLeaf = (right: Right) => right.children.length === 0

/** An entry and everything below it. */
function* within(right: Right): Generator<Right> {
  yield right
  for (const child of right.children) yield* within(child)
}

const everything = (tree: readonly Right[]): Right[] => tree.flatMap((right) => [...within(right)])

/** The entries that decide: what is above them follows. */
export const leavesOf = (tree: readonly Right[]): Right[] => everything(tree).filter(isLeaf)

/** What the server says that the group holds. */
export const heldOf = (tree: readonly Right[]): Held =>
  new Set(everything(tree).flatMap(({ id, allotted }) => (allotted ? [id] : [])))

/** The mark of an entry. A page that is held without any of its buttons is `some`: it opens, and nothing can be done on it. */
export function markOf(right: Right, held: Held): Mark {
  if (isLeaf(right)) return held.has(right.id) ? 'all' : 'none'
  const marks = right.children.map((child) => markOf(child, held))
  if (marks.every((mark) => mark === 'all')) return 'all'
  return held.has(right.id) || marks.some((mark) => mark !== 'none') ? 'some' : 'none'
}

/** Whether the current operator may change anything in an entry. */
export const canTurn = (right: Right): boolean => [...within(right)].some((each) => isLeaf(each) && each.grantable)

/**
 * What is held after an entry was turned: on as long as something of it that may be granted is missing, else off. What may
 * not be granted stays as it is, and what stands above follows what stands below.
 */
export function turned(tree: readonly Right[], held: Held, right: Right): Held {
  const leaves = [...within(right)].filter((each) => isLeaf(each) && each.grantable)
  const isOn = leaves.some(({ id }) => !held.has(id))
  const next = new Set(held)
  for (const { id } of leaves) isOn ? next.add(id) : next.delete(id)
  const touched = new Set(leaves.map(({ id }) => id))
  for (const root of tree) settle(root, next, touched)
  return next
}

/** Makes the entries above what was touched follow it. Answers whether anything in here was touched. */
function settle(right: Right, held: Set<number>, touched: ReadonlySet<number>): boolean {
  if (isLeaf(right)) return touched.has(right.id)
  // Not `some`: every child has to be updated.
  const isTouched = right.children.filter((child) => settle(child, held, touched)).length > 0
  if (isTouched) {
    if (right.children.some(({ id }) => held.has(id))) held.add(right.id)
    else held.delete(right.id)
  }
  return isTouched
}

/** What saving would change on one screen. A screen without buttons is itself what changes. */
export interface ScreenChange {
  key: string
  section: string
  screen: string
  added: readonly string[]
  removed: readonly string[]
}

/** What saving would change, screen by screen, in the order of the menu. */
export function changesOf(tree: readonly Right[], before: Held, after: Held): ScreenChange[] {
  return tree.flatMap((section) => {
    const screens = isLeaf(section) ? [section] : section.children
    return screens.flatMap((screen) => {
      const leaves = leavesOf([screen])
      const names = (from: Held, to: Held) =>
        leaves.filter(({ id }) => !from.has(id) && to.has(id)).map(({ name }) => name)
      const added = names(before, after)
      const removed = names(after, before)
      const isSame = added.length === 0 && removed.length === 0
      return isSame ? [] : [{ key: String(screen.id), section: section.name, screen: screen.name, added, removed }]
    })
  })
}

/** How many of the deciding entries are held, and how many there are. */
export function countOf(tree: readonly Right[], held: Held): { held: number; all: number } {
  const leaves = leavesOf(tree)
  return { held: leaves.filter(({ id }) => held.has(id)).length, all: leaves.length }
}

/**
 * The tree with what a search means: an entry whose name or code holds the text, with everything below it, and what stands
 * above it.
 */
export function matching(tree: readonly Right[], text: string): readonly Right[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return tree
  return tree.flatMap((right) => {
    if (`${right.name}\n${right.code}`.toLowerCase().includes(wanted)) return [right]
    const children = matching(right.children, text)
    return children.length > 0 ? [{ ...right, children }] : []
  })
}

/** A code that the group has and the current operator lacks: such a group can only be viewed. */
export const beyond = (tree: readonly Right[]): Right | undefined =>
  leavesOf(tree).find(({ allotted, grantable }) => allotted && !grantable)
