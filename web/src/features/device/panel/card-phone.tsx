import { useCan } from '@/access/permissions'
import { useApiQuery } from '@/api/query'
import { ReferenceText } from '@/kit/reference/reference-text'
import type { Reference } from '@/kit/reference/source'
import { clientUserPath } from '../../clientUser/links'
import { phonePath } from '../../cloudPhone/links'

/** The cloud phone that a card is prepared for, that it holds, or whose data it still has, and whose phone that is. */
export function CardPhone({ phone }: { phone: Reference }) {
  const can = useCan()
  const enabled = can('phone:get')
  const settings = { enabled, staleTime: 10_000, suppressNotice: true }
  const user = useApiQuery('phoneGet', { path: { id: phone.id } }, settings).data?.user
  return (
    <>
      <ReferenceText of={phone} to={enabled ? phonePath(phone.id) : undefined} isCode />
      {user && (
        <>
          {' · '}
          <ReferenceText of={user} to={can('clientUser:get') ? clientUserPath(user.id) : undefined} />
        </>
      )}
    </>
  )
}
