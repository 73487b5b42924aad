package io.weir.operators.top;

/** A subject by its tenant and its id; tenants have no slash in their names. */
public record SubjectName(String tenant, String id) {
  String text() {
    return tenant + "/" + id;
  }

  /** The name in a row of {@link Tops#keys}. */
  public static SubjectName parse(String text) {
    int slash = text.indexOf('/');
    return new SubjectName(text.substring(0, slash), text.substring(slash + 1));
  }
}
