import type { RowOf } from '@/api/call'
import { useMessages } from '@/i18n/messages'
import { ChoiceLabel } from '@/kit/choices'
import { kitMessages } from '@/kit/messages'
import { byteSize } from '@/rules/format'
import { ShareBar } from '@/ui/share-bar'
import { StatusTag } from '@/ui/status-tag'
import { storeState } from '../choices'
import { shareOf } from './capacity'
import { messages } from './messages'

type Node = RowOf<'storeNodeList'>

/** The state of a node; the trouble of one that not all of its agents reach stands beside it. */
export function NodeState({ of: { state, trouble } }: { of: Pick<Node, 'state' | 'trouble'> }) {
  const isPartly = trouble !== '' && state !== storeState.value.unreachable
  return (
    <span title={trouble}>
      <ChoiceLabel choices={storeState} value={state} />
      {isPartly && (
        <>
          {' '}
          <StatusTag tone="warn">{trouble}</StatusTag>
        </>
      )}
    </span>
  )
}

/** How full a node is, of what fits there in truth. */
export function Used({ of }: { of: Pick<Node, 'usedBytes' | 'limitBytes' | 'measuredAt'> }) {
  const m = useMessages(messages)
  if (!of.measuredAt) return <span className="sky-soft">—</span>
  return (
    <>
      <ShareBar share={shareOf(of)} nearly={0.85} /> {m.usedOf(byteSize(of.usedBytes), byteSize(of.limitBytes))}
    </>
  )
}

/** In how many days it is full. */
export function DaysToFull({ of }: { of: Pick<Node, 'daysToFull' | 'measuredAt'> }) {
  const m = useMessages(messages)
  if (typeof of.daysToFull === 'number') return m.days(of.daysToFull)
  return <span className="sky-soft">{of.measuredAt ? m.notGrowing : '—'}</span>
}

/** The agents that reach a node, in one line. */
export function AgentNames({ of }: { of: Node['agents'] }) {
  const { comma } = useMessages(kitMessages)
  const names = of.map(({ agent }) => agent.name).join(comma)
  return <span title={names}>{names}</span>
}
