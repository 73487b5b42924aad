package io.weir.jobs.rule;

/**
 * The job, its owner, and the request that it is of. Immutable.
 *
 * @param id 32 hexadecimal digits, the same for the same request of the same API key
 * @param tenant of the API key that submitted it
 * @param subject the id of that API key
 * @param fingerprint of the whole request, without spaces
 */
public record JobName(
    String operation, String id, String tenant, String subject, String fingerprint) {

  /** The tenant and the key, with a slash between them. */
  public String owner() {
    return tenant + "/" + subject;
  }

  /** Whether the API key is the one that submitted it. */
  public boolean isOf(String ofTenant, String ofSubject) {
    return tenant.equals(ofTenant) && subject.equals(ofSubject);
  }
}
