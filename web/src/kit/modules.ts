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

/**
 * Names of components whose modules did not come. Such a component stays until somebody tries again: a new one on the
 * next render would be asked for again at once, and so for ever.
 */
const failed = new Set<string>()

/**
 * Begins to load the module of this name, once; one that did not come is asked for again the next time. It never
 * rejects: whoever renders the component hears of the failure.
 */
export function loadModule(name: string, load: () => Promise<{ default: unknown }>): Promise<unknown> {
  const known = loading.get(name)
  if (known) return known
  const begun = fetched(load).then(
    ({ default: component }) => {
      loaded.set(name, component)
      forget(name)
    },
    () => loading.delete(name),
  )
  loading.set(name, begun)
  return begun
}

/** The component of this name. One that is there already is rendered at once instead of in a second round. */
export function componentOf<P>(name: string, load: Load<P>): ComponentType<P> {
  const made = components.get(name) ?? loaded.get(name) ?? lazy(() => fetched(load).catch((error) => fail(name, error)))
  components.set(name, made)
  return made as ComponentType<P>
}

/** Has everything that did not come asked for again when it is rendered next. */
export function retryModules() {
  for (const name of failed) forget(name)
}

/** The module, or a failure: where somebody hears of `vite:preloadError`, Vite gives nothing for one that did not come. */
async function fetched<T>(load: () => Promise<T>): Promise<T> {
  const module = await load()
  if (!module) throw new Error('A part of the console could not be loaded')
  return module
}

function fail(name: string, error: unknown): never {
  failed.add(name)
  throw error
}

/** A component that failed makes room for what there is now. */
function forget(name: string) {
  if (failed.delete(name)) components.delete(name)
}
