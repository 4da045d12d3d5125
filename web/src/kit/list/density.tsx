import { usePreference } from '@/access/preferences'
import { useMessages } from '@/i18n/messages'
import { kitMessages } from '../messages'
import { OneOf } from '../one-of'
import { type Density, densities, rowHeights, usualDensity } from './look'
import type { List } from './use-list'

/** How high the rows of a list are: as its address says, or, in a drawer, as this person had them there last. */
export function useDensity({ operation, look }: Pick<List, 'operation' | 'look'>) {
  const [kept, keep] = usePreference<Density>(`${operation}.innerDensity`, usualDensity)
  const density = look ? look.density : kept
  return { density, setDensity: look ? look.setDensity : keep, rowHeight: rowHeights[density] }
}

/** The three row heights, one of them pressed. */
export function DensityChoice({ choice }: { choice: ReturnType<typeof useDensity> }) {
  const m = useMessages(kitMessages)
  const choices = densities.map((each) => ({ value: each, label: m.densities[each] }))
  return <OneOf label={m.density} value={choice.density} choices={choices} onChange={choice.setDensity} />
}
