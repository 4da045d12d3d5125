/** Where one phone is seen. */
export const phonePath = (id: number | string) => `/cloudPhone/list/${id}`
