module weir.io/client

go 1.19
