import type { ReactNode } from 'react'
import { Can, HasPermission, HasRole, useCan } from '@/access/permissions'
import { useSession } from '@/access/session'
import { useMessages } from '@/i18n/messages'
import '@/ui/page.css'
import { GroupPreview } from './group-preview'
import { messages } from './messages'

/** Shows what the signed-in person holds, and that the guards obey it. */
export default function PermissionTestPage() {
  const may = useCan()
  return (
    <div className="general">
      <div className="general-columns">
        <MyRights />
        <Guards />
      </div>
      {may('group:list') && <GroupPreview />}
    </div>
  )
}

function MyRights() {
  const m = useMessages(messages)
  const username = useSession((session) => session.username || session.name)
  const { groupId, utype, upermission, roles } = useSession((session) => session)
  return (
    <section className="panel">
      <h2>{m.me}</h2>
      <dl className="facts">
        <dt>{m.username}</dt>
        <dd>{username}</dd>
        <dt>{m.group}</dt>
        <dd>{groupId || '-'}</dd>
        <dt>{m.level}</dt>
        <dd>{utype}</dd>
        <dt>{m.permissions}</dt>
        <dd>
          <Chips codes={upermission} />
        </dd>
        <dt>{m.roles(roles.length)}</dt>
        <dd>
          <Chips codes={roles} />
        </dd>
      </dl>
    </section>
  )
}

function Chips({ codes }: { codes: readonly string[] }) {
  return (
    <ul className="code-chips">
      {codes.map((code) => (
        <li key={code}>{code}</li>
      ))}
    </ul>
  )
}

function Guards() {
  const m = useMessages(messages)
  const yes = <span data-shown="true">{m.shown}</span>
  return (
    <section className="panel">
      <h2>{m.guards}</h2>
      <p className="sky-soft">{m.guardsHint}</p>
      <table className="check-table">
        <thead>
          <tr>
            <th scope="col">{m.guard}</th>
            <th scope="col">{m.value}</th>
            <th scope="col">{m.result}</th>
          </tr>
        </thead>
        <tbody>
          <Row guard="HasRole" value="['admin']">
            <HasRole roles={['admin']}>{yes}</HasRole>
          </Row>
          <Row guard="HasRole" value="['clientUser:list', 'clientUser:get']">
            <HasRole roles={['clientUser:list', 'clientUser:get']}>{yes}</HasRole>
          </Row>
          <Row guard="HasPermission" value="['adduser']">
            <HasPermission need={['adduser']}>{yes}</HasPermission>
          </Row>
          <Row guard="HasPermission" value="['checkuser']">
            <HasPermission need={['checkuser']}>{yes}</HasPermission>
          </Row>
          <Row guard="HasPermission" value="['deluser']">
            <HasPermission need={['deluser']}>{yes}</HasPermission>
          </Row>
          <Row guard="Can" value="clientUser:disable">
            <Can need="clientUser:disable">{yes}</Can>
          </Row>
          <Row guard="Can" value="group:allot">
            <Can need="group:allot">{yes}</Can>
          </Row>
        </tbody>
      </table>
    </section>
  )
}

/** The cell says "removed" by itself when the guard has left nothing in it. */
function Row({ guard, value, children }: { guard: string; value: string; children: ReactNode }) {
  const m = useMessages(messages)
  return (
    <tr>
      <th scope="row">{guard}</th>
      <td className="sky-mono">{value}</td>
      <td className="guard-cell" data-removed={m.notShown}>
        {children}
      </td>
    </tr>
  )
}
