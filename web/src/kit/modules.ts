import { type ComponentType, lazy } from 'react'

/** Fetches the module of a component. */
export type Load<P = object> = () => Promise<{ default: ComponentType<P> }>

/*
 * Modules that come before they are rendered. React shows nothing of what suspends for 300 ms (its throttle of
 * fallbacks), however soon the module is there; so the shell fetches it first, and it is rendered as any other.
 */
const loading = new Map<string, Promise<unknown>>()
const loaded = new Map<string, unknown>()

/** One component a name, made once: a new one on each render would forget its state. */
const components = new Map<string, unknown>()

/** Begins to load the module of this name, once; one that did not come is asked for again the next time. */
export function loadModule(name: string, load: () => Promise<{ default: unknown }>): Promise<unknown> {
  const known = loading.get(name)
  if (known) return known
  const begun = load().then(
    ({ default: component }) => loaded.set(name, component),
    () => loading.delete(name),
  )
  loading.set(name, begun)
  return begun
}

/** The component of this name. One that is there already is rendered at once instead of in a second round. */
export function componentOf<P>(name: string, load: Load<P>): ComponentType<P> {
  const made = components.get(name) ?? loaded.get(name) ?? lazy(load)
  components.set(name, made)
  return made as ComponentType<P>
}
