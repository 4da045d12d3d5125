import { useEffect, useState } from 'react'
import { useCan } from '@/access/permissions'
import { useSession } from '@/access/session'
import type { DataOf } from '@/api/call'
import { useApiMutation } from '@/api/query'
import { useMessages } from '@/i18n/messages'
import { action } from '@/kit/action'
import { ActionButtons } from '@/kit/action-buttons'
import { kitMessages } from '@/kit/messages'
import { useActions } from '@/kit/use-actions'
import { Button } from '@/ui/button'
import { Callout } from '@/ui/callout'
import { rightsMessages } from './messages'
import { beyond, changesOf, type Held, heldOf, type Right, type ScreenChange } from './rights'
import { RightsTree } from './rights-tree'

interface RightsEditorProps {
  rights: DataOf<'groupRightsGet'>
  onDirty: (dirty: boolean) => void
}

/** The permissions of a group, changed box by box and saved together after a review of the changes. */
export function RightsEditor({ rights, onDirty }: RightsEditorProps) {
  const m = useMessages(rightsMessages)
  const { group } = rights
  const tree: readonly Right[] = rights.tree
  const [edited, setEdited] = useState<Held>()
  const runner = useActions()
  const obstacle = useObstacle(rights)
  const isOwn = useSession(({ groupId }) => groupId) === String(group.id)
  const allot = useApiMutation('menuAllot', {
    refresh: ['groupRightsGet', 'groupList', 'groupListAll', 'groupCompare'],
  })
  const before = heldOf(tree)
  const held = edited ?? before
  const changes = changesOf(tree, before, held)
  const isDirty = changes.length > 0

  // The drawer around asks before it closes over unsaved changes.
  useEffect(() => onDirty(isDirty), [isDirty, onDirty])

  const save = action(m.save, {
    need: 'group:allot',
    confirm: m.question(group.groupName, group.operatorCount),
    ask: <ChangeSummary changes={changes} isOwn={isOwn} />,
    run: async () => {
      const answer = await allot.mutateAsync({ body: { groupId: group.id, menuIds: [...held] } })
      setEdited(undefined)
      return answer
    },
  })

  return (
    <div className="rights-editor">
      {obstacle && <Callout tone="info" title={obstacle} />}
      <RightsTree tree={tree} held={held} isReadOnly={obstacle !== undefined} onChange={setEdited} />
      {isDirty && (
        <footer className="rights-footer">
          <span aria-live="polite">{m.unsaved(countOf(changes, 'added'), countOf(changes, 'removed'))}</span>
          <Button onClick={() => setEdited(undefined)}>{m.revert}</Button>
          <ActionButtons acts={[save]} runner={runner} primary />
        </footer>
      )}
      {runner.host}
    </div>
  )
}

const countOf = (changes: readonly ScreenChange[], part: 'added' | 'removed') =>
  changes.reduce((sum, change) => sum + change[part].length, 0)

/** Why nothing can be changed here, if nothing can. */
function useObstacle({ group, tree }: DataOf<'groupRightsGet'>): string | undefined {
  const m = useMessages(rightsMessages)
  const can = useCan()
  if (group.builtin) return m.builtin
  if (!can('group:allot')) return m.noRight
  const lacking = beyond(tree)
  return lacking && m.beyond(lacking.name, lacking.code)
}

function ChangeSummary({ changes, isOwn }: { changes: readonly ScreenChange[]; isOwn: boolean }) {
  const m = useMessages(rightsMessages)
  const { comma } = useMessages(kitMessages)
  return (
    <>
      {isOwn && <Callout tone="warn" title={m.ownGroup} />}
      <ul className="rights-changes">
        {changes.map(({ key, section, screen, added, removed }) => (
          <li key={key}>
            <span className="sky-soft">{section} / </span>
            {screen}
            {added.length > 0 && (
              <div data-change="added">
                + {m.added}：{added.join(comma)}
              </div>
            )}
            {removed.length > 0 && (
              <div data-change="removed">
                − {m.removed}：{removed.join(comma)}
              </div>
            )}
          </li>
        ))}
      </ul>
    </>
  )
}
