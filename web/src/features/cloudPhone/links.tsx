import { lazy } from 'react'

/** Where one phone is seen. */
export const phonePath = (id: number | string) => `/cloudPhone/list/${id}`

/** The phones of one user, for his detail. */
export const PhonesOfUser = lazy(() => import('./list/of-user'))
