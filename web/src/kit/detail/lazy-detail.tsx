import { type ComponentType, Suspense } from 'react'
import type { OperationId } from '@/api/call'
import { componentOf, type Load } from '../modules'

/**
 * The detail of a list's rows, in a module of its own, and the call that reads one. The build finds both here
 * (`web/screen-sources.ts`), so that they come together, and before the click on a link to it.
 */
export function lazyDetail<P extends object>(operation: OperationId, load: Load<P>): ComponentType<P> {
  return function LazyDetail(props: P) {
    const Detail = componentOf(operation, load)
    const detail = <Detail {...props} />
    // A drawer leaves its list in view while it comes; a page of its own is waited for as any other page.
    return 'onClose' in props ? <Suspense>{detail}</Suspense> : detail
  }
}
