import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import type { MenuEntry } from '@/access/menu'
import { useTitle } from '@/access/titles'
import { request } from '@/api/client'
import { useMessages } from '@/i18n/messages'
import { Skeleton } from '@/ui/skeleton'
import { messages } from './messages'

interface Group {
  id: string | number
  groupName: string
}

/** What somebody of a chosen group would see. Only for those who may look at groups. */
export function GroupPreview() {
  const m = useMessages(messages)
  const id = useId()
  const [chosen, setChosen] = useState('')
  const groups = useQuery({
    queryKey: ['permissionTest', 'groups'],
    queryFn: async ({ signal }) =>
      (await request('GET', '/api/user/v1/designjet/permissions/group/all', {}, { signal })).data as Group[],
  })
  return (
    <section className="panel">
      <h2>{m.preview}</h2>
      <p>{m.previewHint}</p>
      {groups.isPending && <Skeleton label={m.loading} />}
      {groups.isError && <Failed onRetry={() => void groups.refetch()} />}
      {groups.data?.length === 0 && <p>{m.noGroups}</p>}
      {groups.data && groups.data.length > 0 && (
        <div className="toolbar">
          <label htmlFor={id}>{m.choose}</label>
          <select id={id} value={chosen} onChange={(event) => setChosen(event.target.value)}>
            <option value="">-</option>
            {groups.data.map((group) => (
              <option key={group.id} value={String(group.id)}>
                {group.groupName}
              </option>
            ))}
          </select>
        </div>
      )}
      {chosen !== '' && <GroupTree groupId={chosen} />}
    </section>
  )
}

function Failed({ onRetry }: { onRetry: () => void }) {
  const m = useMessages(messages)
  return (
    <p>
      {m.failed}{' '}
      <button type="button" className="sky-link" onClick={onRetry}>
        {m.retry}
      </button>
    </p>
  )
}

function GroupTree({ groupId }: { groupId: string }) {
  const m = useMessages(messages)
  const title = useTitle()
  const tree = useQuery({
    queryKey: ['permissionTest', 'tree', groupId],
    queryFn: async ({ signal }) =>
      (await request('GET', '/api/user/v1/menus/tree', { query: { groupId, cacheable: false } }, { signal }))
        .data as MenuEntry[],
  })
  if (tree.isPending) return <Skeleton label={m.loading} />
  if (tree.isError) return <Failed onRetry={() => void tree.refetch()} />
  if (tree.data.length === 0) return <p role="status">{m.nothing}</p>
  return (
    <div className="preview-tree">
      {tree.data.map((section) => (
        <div key={section.id ?? section.name}>
          <h3>{title(section.name)}</h3>
          <table className="check-table">
            <thead>
              <tr>
                <th scope="col">{m.screens}</th>
                <th scope="col">{m.acts}</th>
              </tr>
            </thead>
            <tbody>
              {(section.children ?? []).map((screen) => (
                <tr key={screen.id ?? screen.name}>
                  <th scope="row">{title(screen.name)}</th>
                  <td>
                    <ul className="code-chips">
                      {(screen.children ?? []).map((act) => (
                        <li key={act.code ?? act.name} title={act.name}>
                          {act.code}
                        </li>
                      ))}
                    </ul>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      ))}
    </div>
  )
}
