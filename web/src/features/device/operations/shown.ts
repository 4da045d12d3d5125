import { useSearchParams } from 'react-router'
import { choiceParam, textParam } from '@/kit/list/filter'
import { taskEffect, taskStep } from './choices'

/** Which tasks of an operation are shown: those of a state, of a reason, of an effect. */
export interface Shown {
  state?: number | undefined
  code?: string | undefined
  effect?: number | undefined
}

const params = { state: choiceParam(taskStep), code: textParam(64), effect: choiceParam(taskEffect) }
const keys = ['state', 'code', 'effect'] as const

/** What is shown, as the address says: a link reproduces it. One choice holds for places, results and the stream. */
export function useShown(): [Shown, (next: Shown) => void] {
  const [search, setSearch] = useSearchParams()
  const shown: Shown = {}
  for (const key of keys) {
    const raw = search.get(key)
    const value = raw === null ? undefined : params[key].read(raw)
    if (value !== undefined) Object.assign(shown, { [key]: value })
  }
  const show = (next: Shown) =>
    setSearch(
      (now) => {
        const after = new URLSearchParams(now)
        for (const key of keys) {
          if (next[key] === undefined) after.delete(key)
          else after.set(key, String(next[key]))
        }
        return after
      },
      { replace: true, preventScrollReset: true },
    )
  return [shown, show]
}
