package io.weir.spring.gateway;

/** The arguments of a route. Mutable, as the gateway binds them. */
public final class RouteArguments {
  private String operation = "";

  /** The operation; by default the route's id. */
  public String getOperation() {
    return operation;
  }

  public void setOperation(String name) {
    operation = name;
  }

  String orElse(String routeId) {
    return operation.isEmpty() ? routeId : operation;
  }
}
