import type { DataOf } from '@/api/call'
import { useApiMutation, useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action, danger } from '@/kit/action'
import { ActionButtons, RowActions } from '@/kit/action-buttons'
import { ChoiceLabel } from '@/kit/choices'
import { Loaded } from '@/kit/loaded'
import { kitMessages } from '@/kit/messages'
import { TimeText } from '@/kit/time-text'
import { useActions } from '@/kit/use-actions'
import { DataTable, freeText } from '@/ui/data-table'
import { Drawer } from '@/ui/drawer'
import { Placeholder } from '@/ui/placeholder'
import { StatusTag } from '@/ui/status-tag'
import { dropWhy } from '../choices'
import { useExclude } from './exclude'
import { exclusionMessages } from './exclusion-messages'

type All = DataOf<'imageExclusions'>
type Exclusion = All['list'][number]

interface ExclusionsProps {
  image: number
  name: string
  onClose: () => void
}

/** What copies of phones leave out on an image: what operators have named for it, and what is left out on any. */
export default function Exclusions({ image, name, onClose }: ExclusionsProps) {
  const m = useMessages(exclusionMessages)
  const query = useApiQuery('imageExclusions', { path: { id: image } }, { suppressNotice: true })
  const exclude = useExclude()
  const runner = useActions()
  return (
    <Drawer open size={760} title={m.of(name)} onClose={onClose}>
      <Loaded query={query}>
        {(all) => (
          <>
            <h3>{m.here}</h3>
            <p className="sky-soft">{m.hereHint}</p>
            <Here of={all.list} />
            <p className="kit-tools">
              <ActionButtons acts={[exclude(image)]} runner={runner} />
            </p>
            <h3>{m.everywhere}</h3>
            <Everywhere of={all.everywhere} />
          </>
        )}
      </Loaded>
      {runner.host}
    </Drawer>
  )
}

function Here({ of }: { of: readonly Exclusion[] }) {
  const m = useMessages(exclusionMessages)
  const k = useMessages(kitMessages)
  const runner = useActions()
  const approve = useApiMutation('imageExclusionApprove', { refresh: ['imageExclusions', 'phoneSagas'] })
  const remove = useApiMutation('imageExclusionRemove', { refresh: ['imageExclusions'] })
  const acts = ({ id, isOwn, isApproved }: Exclusion) => [
    ...(isApproved
      ? []
      : [
          action(m.approve, {
            need: 'systemImage:exclude',
            blocked: isOwn ? m.own : undefined,
            confirm: m.approveQuestion,
            run: () => approve.mutateAsync({ path: { id } }),
          }),
        ]),
    danger(m.remove, {
      need: 'systemImage:include',
      confirm: m.removeQuestion,
      run: () => remove.mutateAsync({ path: { id } }),
    }),
  ]
  return (
    <>
      <DataTable
        label={m.here}
        rows={of}
        rowKey={({ id }) => String(id)}
        empty={<Placeholder title={m.none} />}
        columns={[
          {
            key: 'path',
            title: m.fields.path,
            render: ({ path }) => (
              <span className="sky-mono" title={path}>
                {path}
              </span>
            ),
            ...freeText,
          },
          { key: 'reason', title: m.reason, render: ({ reason }) => <span title={reason}>{reason}</span>, ...freeText },
          { key: 'createdBy', title: m.namedBy, render: ({ createdBy }) => createdBy },
          { key: 'approvedBy', title: m.approvedBy, render: (one) => <Approval of={one} /> },
          {
            key: 'acts',
            title: k.acts,
            render: (one) => <RowActions acts={acts(one)} name={one.path} runner={runner} />,
          },
        ]}
      />
      {runner.host}
    </>
  )
}

function Approval({ of: { approvedAt, approvedBy } }: { of: Exclusion }) {
  const m = useMessages(exclusionMessages)
  if (!approvedAt) return <StatusTag tone="warn">{m.waits}</StatusTag>
  return (
    <>
      {approvedBy} <TimeText at={approvedAt} />
    </>
  )
}

function Everywhere({ of }: { of: All['everywhere'] }) {
  return (
    <ul>
      {of.map(({ why, paths }) => (
        <li key={why}>
          <ChoiceLabel choices={dropWhy} value={why} />
          <p className="sky-mono sky-soft">{paths.join('  ')}</p>
        </li>
      ))}
    </ul>
  )
}
