package io.weir.node.contexts;

/**
 * A node of a cluster that runs on this machine. Immutable.
 *
 * @param admin its admin port
 * @param adminToken the token of that port
 */
public record LocalNode(String admin, String adminToken) {

  @Override
  public String toString() {
    return admin; // without the secret
  }
}
