import { useLanguage } from '@/i18n/language'
import { choiceText } from '@/kit/choices'
import { grouped } from '@/rules/format'
import { StateChip } from '@/ui/state-chip'
import { runStatus } from '../choices'
import { statusKeys } from '../counts'
import type { PlaceNode } from './cells'
import { lookOf } from './paint'

const calm: readonly number[] = [runStatus.value.idle, runStatus.value.inUse]

/** What is wrong in a place, most first: signs with their numbers. What goes beyond `most` is one number. */
export function Trouble({ counts, most }: { counts: PlaceNode['counts']; most: number }) {
  const language = useLanguage()
  const wrong = runStatus.list
    .map(({ value }) => ({ value, count: counts[statusKeys[value]] }))
    .filter(({ value, count }) => count > 0 && !calm.includes(value))
    .sort((a, b) => b.count - a.count)
  const rest = wrong.slice(most).reduce((sum, { count }) => sum + count, 0)
  if (wrong.length === 0) return <span className="panel-trouble panel-well">✓</span>
  return (
    <span className="panel-trouble">
      {wrong.slice(0, most).map(({ value, count }) => (
        <span key={value} title={choiceText(runStatus, value, language)}>
          <StateChip state={lookOf(value)} /> {grouped(count)}
        </span>
      ))}
      {rest > 0 && <span>+{grouped(rest)}</span>}
    </span>
  )
}

/** The share of the cards of a place that are in use, in whole percent. */
export const shareInUse = ({ total, inUse }: PlaceNode['counts']) => (total ? Math.round((inUse / total) * 100) : 0)
