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
    return (
      <Suspense>
        <Detail {...props} />
      </Suspense>
    )
  }
}
