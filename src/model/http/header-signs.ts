/** RFC 9110: what the name of a header may consist of. */
export const headerName = /^[!#$%&'*+.^_`|~\w-]+$/;
/** And its value, as bytes: no line end in particular. */
export const headerValue = /^[\t\x20-\x7E\x80-\xFF]*$/;
