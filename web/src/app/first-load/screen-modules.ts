import { type ComponentType, lazy } from 'react'
import type { Screen } from '@/access/screens'

const loading = new Map<string, Promise<unknown>>()
const loaded = new Map<string, ComponentType>()

/** One component a screen, made once: a new one on each render would forget its state. */
const components = new Map<string, ComponentType>()

/** Begins to load the module of a screen, once; one that did not come is asked for again the next time. */
export function loadScreen(screen: Screen): Promise<unknown> {
  const known = loading.get(screen.code)
  if (known) return known
  const begun = screen.load().then(
    ({ default: component }) => loaded.set(screen.code, component),
    () => loading.delete(screen.code),
  )
  loading.set(screen.code, begun)
  return begun
}

/** The component of a screen. One that is there already is rendered at once instead of in a second round. */
export function componentOf(screen: Screen): ComponentType {
  const known = components.get(screen.code)
  if (known) return known
  const made = loaded.get(screen.code) ?? lazy(screen.load)
  components.set(screen.code, made)
  return made
}
