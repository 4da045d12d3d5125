import { lazy, Suspense } from 'react'

const Drawer = lazy(() => import('./task-drawer'))

/** The progress of one background task. Loaded when the first task is followed. */
export function TaskDrawer(props: { id: string; onClose: () => void }) {
  return (
    <Suspense>
      <Drawer {...props} />
    </Suspense>
  )
}
