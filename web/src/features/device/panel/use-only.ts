import { useSearchParams } from 'react-router'
import { runStatus } from '../choices'

/** The status that is shown alone, as the address says; choosing it again shows all. */
export function useOnly() {
  const [search, setSearch] = useSearchParams()
  const only = runStatus.find(Number(search.get('status')))?.value
  const choose = (status: number) =>
    setSearch(
      (now) => {
        const next = new URLSearchParams(now)
        only === status ? next.delete('status') : next.set('status', String(status))
        return next
      },
      { replace: true },
    )
  return [only, choose] as const
}
