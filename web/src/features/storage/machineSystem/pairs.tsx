import { lazy } from 'react'
import type { CallParts, DataOf } from '@/api/call'
import { useApiMutation, useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { type Action, action, danger } from '@/kit/action'
import { ActionButtons, RowActions } from '@/kit/action-buttons'
import { Loaded } from '@/kit/loaded'
import { kitMessages } from '@/kit/messages'
import { TimeText } from '@/kit/time-text'
import { useActions } from '@/kit/use-actions'
import { DataTable, freeText } from '@/ui/data-table'
import { Drawer } from '@/ui/drawer'
import { Placeholder } from '@/ui/placeholder'
import { pairMessages } from './pair-messages'

const PairFields = lazy(() => import('./pair-fields'))

type Pair = DataOf<'imagePairs'>['to'][number]

interface PairsProps {
  image: number
  board: string
  name: string
  onClose: () => void
}

/** On cards of which other images the phones of an image may come, and the other way round. */
export default function Pairs({ image, board, name, onClose }: PairsProps) {
  const m = useMessages(pairMessages)
  const query = useApiQuery('imagePairs', { path: { id: image } }, { suppressNotice: true })
  const declare = useApiMutation('imageDeclare', { refresh: ['imagePairs'] })
  const runner = useActions()
  const declares = action<CallParts<'imageDeclare'>['body']>(m.declare, {
    need: 'systemImage:declare',
    confirm: m.declareQuestion,
    ask: <PairFields board={board} />,
    run: (body) => declare.mutateAsync({ path: { id: image }, body }),
  }) as Action
  return (
    <Drawer open size={760} title={m.of(name)} onClose={onClose}>
      <Loaded query={query}>
        {({ to, from }) => (
          <>
            <h3>{m.to}</h3>
            <p className="sky-soft">{m.hint}</p>
            <PairTable label={m.to} rows={to} other={(pair) => pair.to} />
            <p className="kit-tools">
              <ActionButtons acts={[declares]} runner={runner} />
            </p>
            <h3>{m.from}</h3>
            <PairTable label={m.from} rows={from} other={(pair) => pair.from} />
          </>
        )}
      </Loaded>
      {runner.host}
    </Drawer>
  )
}

interface PairTableProps {
  label: string
  rows: readonly Pair[]
  other: (pair: Pair) => Pair['to']
}

function PairTable({ label, rows, other }: PairTableProps) {
  const m = useMessages(pairMessages)
  const k = useMessages(kitMessages)
  const runner = useActions()
  const undeclare = useApiMutation('imageUndeclare', { refresh: ['imagePairs'] })
  const name = (pair: Pair) => other(pair).name ?? String(other(pair).id)
  const acts = (pair: Pair) => [
    danger(m.undeclare, {
      need: 'systemImage:undeclare',
      confirm: m.undeclareQuestion,
      run: () => undeclare.mutateAsync({ path: { id: pair.id } }),
    }),
  ]
  return (
    <>
      <DataTable
        label={label}
        rows={rows}
        rowKey={({ id }) => String(id)}
        empty={<Placeholder title={m.none} />}
        columns={[
          {
            key: 'image',
            title: m.image,
            render: (pair) => (
              <span className="sky-mono" title={name(pair)}>
                {name(pair)}
              </span>
            ),
            ...freeText,
          },
          { key: 'reason', title: m.reason, render: ({ reason }) => <span title={reason}>{reason}</span>, ...freeText },
          { key: 'createdBy', title: m.createdBy, render: ({ createdBy }) => createdBy },
          { key: 'createdAt', title: m.createdAt, render: ({ createdAt }) => <TimeText at={createdAt} /> },
          {
            key: 'acts',
            title: k.acts,
            render: (pair) => <RowActions acts={acts(pair)} name={name(pair)} runner={runner} />,
          },
        ]}
      />
      {runner.host}
    </>
  )
}
