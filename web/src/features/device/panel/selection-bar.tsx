import { useLanguage } from '@/i18n/language'
import { useMessages } from '@/i18n/messages'
import { ActionButtons } from '@/kit/action-buttons'
import { choiceText } from '@/kit/choices'
import { useActions } from '@/kit/use-actions'
import { grouped } from '@/rules/format'
import { runStatus } from '../choices'
import { useLikelyActs } from '../operations/use-likely-acts'
import type { CardCell } from './cells'
import { messages } from './messages'

interface SelectionBarProps {
  cards: readonly CardCell[]
  selected: ReadonlySet<number>
  onClear: () => void
}

/** What is selected and what can be done with it. It is always there: nothing moves under the pointer when it fills. */
export function SelectionBar({ cards, selected, onClear }: SelectionBarProps) {
  const m = useMessages(messages)
  const language = useLanguage()
  const runner = useActions()
  const acts = useLikelyActs()({ ids: [...selected] }, 'many')
  const states = runStatus.list
    .map(({ value }) => ({
      value,
      count: cards.filter((card) => card.runStatus === value && selected.has(card.id)).length,
    }))
    .filter(({ count }) => count > 0)
    .map(({ value, count }) => `${choiceText(runStatus, value, language)} ${grouped(count)}`)
  const target = m.selected(grouped(selected.size))
  return (
    <section className="panel-selection" aria-live="polite" data-empty={selected.size === 0 || undefined}>
      {selected.size === 0 ? (
        <span className="sky-soft">{m.help}</span>
      ) : (
        <>
          <strong>{target}</strong>
          <span className="sky-soft panel-selected-states">{states.join(' · ')}</span>
          <button type="button" className="sky-link" onClick={onClear}>
            {m.clear}
          </button>
          <kbd>Esc</kbd>
          <span className="kit-gap" />
          <ActionButtons acts={acts} runner={runner} target={target} size="small" />
        </>
      )}
      {runner.host}
    </section>
  )
}
