/** Where a customer is seen. */
export const clientUserPath = (id: number | string) => `/clientUser?detail=${id}`
