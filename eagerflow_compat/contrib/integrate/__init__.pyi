from eagerflow_compat.contrib.integrate.adaptive import odeint as odeint
from eagerflow_compat.contrib.integrate.fixed import odeint_fixed as odeint_fixed
