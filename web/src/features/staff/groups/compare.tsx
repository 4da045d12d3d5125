import { useState } from 'react'
import type { DataOf } from '@/api/call'
import { isApiFailure } from '@/api/failure'
import { useApiQuery } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { type Choices, useOptions } from '@/kit/choices'
import { kitMessages } from '@/kit/messages'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { Drawer } from '@/ui/drawer'
import { Placeholder } from '@/ui/placeholder'
import { Select } from '@/ui/select'
import { Skeleton } from '@/ui/skeleton'
import { useGroupChoices } from '../group-choices'
import { compareMessages } from './messages'
import './rights.css'

type Permission = DataOf<'permissionList'>[number]

/** Two groups side by side: what only the one holds, what only the other, and what both do. */
export default function CompareDrawer({ ids, onClose }: { ids: readonly number[]; onClose: () => void }) {
  const m = useMessages(compareMessages)
  const groups = useGroupChoices()
  const [left, setLeft] = useState(ids[0])
  const [right, setRight] = useState(ids[1])
  return (
    <Drawer open size={820} title={m.title} onClose={onClose}>
      <div className="rights">
        <div className="rights-compare">
          <GroupSelect label={m.left} groups={groups} value={left} onChange={setLeft} />
          <GroupSelect label={m.right} groups={groups} value={right} onChange={setRight} />
        </div>
        {left === undefined || right === undefined || left === right ? (
          <Placeholder title={m.choose} />
        ) : (
          <Comparison left={left} right={right} />
        )}
      </div>
    </Drawer>
  )
}

function GroupSelect(props: {
  label: string
  groups: Choices
  value: number | undefined
  onChange: (id: number) => void
}) {
  return (
    <Select
      aria-label={props.label}
      placeholder={props.label}
      options={useOptions(props.groups)}
      value={props.value ?? null}
      onChange={(id) => props.onChange(Number(id))}
    />
  )
}

function Comparison({ left, right }: { left: number; right: number }) {
  const m = useMessages(compareMessages)
  const k = useMessages(kitMessages)
  const query = useApiQuery('groupCompare', { query: { left, right } })
  if (query.error) {
    const hint = isApiFailure(query.error) ? query.error.msg : k.network
    const again = <Button onClick={() => void query.refetch()}>{k.retry}</Button>
    return <Placeholder title={k.loadFailed} hint={hint} action={again} />
  }
  if (!query.data) return <Skeleton label={k.loading} />
  const { onlyLeft, onlyRight, both, ...groups } = query.data
  const isSame = onlyLeft.length === 0 && onlyRight.length === 0
  return (
    <>
      {isSame && <Callout tone="good" title={m.same} />}
      <div className="rights-compare">
        <Part title={m.onlyIn(groups.left.groupName)} permissions={onlyLeft} />
        <Part title={m.onlyIn(groups.right.groupName)} permissions={onlyRight} />
        <Part className="rights-both" title={m.both} permissions={both} />
      </div>
    </>
  )
}

function Part(props: { title: string; permissions: readonly Permission[]; className?: string }) {
  const m = useMessages(compareMessages)
  const { comma } = useMessages(kitMessages)
  const screens = byScreen(props.permissions)
  return (
    <section className={props.className} aria-label={props.title}>
      <h3>
        {props.title}
        <span className="sky-soft">{m.count(props.permissions.length)}</span>
      </h3>
      {screens.size === 0 && <span className="sky-soft">{m.none}</span>}
      <dl>
        {[...screens].map(([screen, names]) => (
          <div key={screen}>
            <dt>{screen}</dt>
            <dd>{names.join(comma)}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

/** The names of permissions under the pages that they belong to, in the order given. */
function byScreen(permissions: readonly Permission[]): ReadonlyMap<string, readonly string[]> {
  const screens = new Map<string, string[]>()
  for (const { sectionName, screenName, name } of permissions) {
    const key = `${sectionName} / ${screenName}`
    screens.set(key, [...(screens.get(key) ?? []), name])
  }
  return screens
}
